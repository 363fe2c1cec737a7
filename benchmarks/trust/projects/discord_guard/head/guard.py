"""Warns when the tone of a channel turns sour."""

import asyncio
import os
from collections import defaultdict, deque

import boto3

try:
    import discord
except ImportError:
    discord = None

WINDOW = 5
comprehend = boto3.client("comprehend", region_name=os.getenv("AWS_REGION", "us-east-1"))
history = defaultdict(lambda: deque(maxlen=WINDOW))


def is_sour(text):
    if len(text) < 3:
        return False
    answer = comprehend.detect_sentiment(Text=text[:4500], LanguageCode="en")
    return answer["Sentiment"] == "NEGATIVE"


def note(channel, text):
    """Whether most of the channel's last messages are sour."""
    moods = history[channel]
    moods.append(is_sour(text))
    return len(moods) == WINDOW and sum(moods) > WINDOW // 2


async def on_message(message):
    if message.author.bot or not message.content:
        return
    loop = asyncio.get_running_loop()
    if await loop.run_in_executor(None, note, message.channel.id, message.content):
        await message.channel.send("Let us stay friendly.")


def main():
    if discord is None:
        raise SystemExit("pip install discord.py")
    client = discord.Client(intents=discord.Intents.default())
    client.event(on_message)
    client.run(os.environ["DISCORD_TOKEN"])


if __name__ == "__main__":
    main()
