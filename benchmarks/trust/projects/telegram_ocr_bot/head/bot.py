"""Sends back the text on pictures."""

import logging
import os
import tempfile

from google.cloud import vision
from telegram.ext import Filters, MessageHandler, Updater

log = logging.getLogger(__name__)
LONGEST = 4096


def recognise(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        response = client.document_text_detection(image=vision.Image(content=file.read()))
    if response.error.message:
        log.error("vision: %s", response.error.message)
        return None
    return response.full_text_annotation.text


def answer(text):
    if text is None:
        return "Something went wrong, please try again later."
    if not text.strip():
        return "I see no text there."
    return text[:LONGEST]


def on_photo(update, context):
    message = update.message
    if message is None or not message.photo:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "photo.jpg")
        message.photo[-1].get_file().download(path)
        message.reply_text(answer(recognise(path)))


def main():
    token = os.environ.get("TELEGRAM_TOKEN")
    if not token:
        raise SystemExit("TELEGRAM_TOKEN is not set")
    updater = Updater(token)
    updater.dispatcher.add_handler(MessageHandler(Filters.photo, on_photo))
    updater.start_polling()
    updater.idle()


if __name__ == "__main__":
    main()
