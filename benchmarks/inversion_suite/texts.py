"""Small functions that change a text before they ask about it, as applications do."""

import ast
import base64
import csv
import html
import io
import json
import re
import urllib.parse
from xml.etree import ElementTree

from google.cloud import language_v1

COMMAND = "!mood"
SIGNATURE = "\n--\nSent from my phone"
client = language_v1.LanguageServiceClient()


def ask(text):
    document = language_v1.Document(content=text, type_=language_v1.Document.Type.PLAIN_TEXT)
    return client.analyze_sentiment(document=document).document_sentiment.score


# ------------------------------------------------------ identity is enough


def as_it_is(text):
    return ask(text)


def stripped(text):
    return ask(text.strip())


def lowered(text):
    return ask(text.lower())


def without_links(tweet):
    return ask(re.sub(r"https?://\S+", "", tweet).replace("\n", " "))


def without_punctuation(text):
    return ask(re.sub(r"[^\w\s]", "", text))


def greeted(text):
    return ask(f"Dear team, {text}")


def sentence_by_sentence(text):
    scores = [ask(part) for part in re.split(r"(?<=[.!?]) ", text)]
    return sum(scores) / len(scores)


# ------------------------------------------------------------- dropped ends


def dropped_first(text):
    return ask(text[1:])


def after_command(message):
    if not message.startswith(COMMAND):
        return None
    return ask(message[len(COMMAND) :].strip())


def after_first_word(message):
    return ask(message.split(" ", 1)[1])


def without_quotes(text):
    return ask(text[1:-1])


def without_tag(text):
    return ask(text[4:-3])


def after_mention(message):
    mention, _, rest = message.partition(": ")
    return ask(rest) if mention and rest else None


def before_signature(mail):
    body, found, _ = mail.partition(SIGNATURE)
    return ask(body) if found else None


def after_header(mail):
    return ask(mail.split("\n\n", 1)[1])


def last_line(log):
    lines = log.splitlines()
    return ask(lines[-1]) if len(lines) > 2 else None


# -------------------------------------------------------------------- fields


def second_column(line):
    return ask(line.split(",")[1])


def rated_line(line):
    number, text = line.split("\t")
    return ask(text) * int(number)


def third_field(record):
    _, _, review, _ = record.split("|")
    return ask(review.strip())


def named_line(form):
    for line in form.splitlines():
        if line.startswith("Comment: "):
            return ask(line[len("Comment: ") :])
    return None


def bracketed(text):
    start, end = text.find("<<"), text.find(">>")
    return ask(text[start + 2 : end]) if -1 < start < end else None


def matched(line):
    found = re.search(r"text=\"(.*)\"", line)
    return ask(found.group(1)) if found else None


def said_by(line):
    found = re.match(r"\[(\w+)\] (\w+): (.+)", line)
    return ask(found.group(3)) if found else None


def column_of_csv(table):
    (row,) = csv.DictReader(io.StringIO(table))
    return ask(row["review"])


# ------------------------------------------------------------------ encodings


def in_base64(data):
    return ask(base64.b64decode(data, validate=True).decode())


def in_hexadecimal(data):
    return ask(bytes.fromhex(data).decode())


def in_json(body):
    return ask(json.loads(body)["text"])


def in_nested_json(body):
    event = json.loads(body)
    return ask(event["message"]["text"])


def in_json_list(body):
    return ask(json.loads(body)["documents"][0]["content"])


def in_query(body):
    return ask(urllib.parse.parse_qs(body)["comment"][0])


def in_xml(body):
    return ask(ElementTree.fromstring(body).find("review").text)


def in_literal(text):
    return ask(ast.literal_eval(text))


def in_html(text):
    return ask(html.unescape(text).replace("<br>", " "))


# ---------------------------------------------------------------------- orders


def backwards(text):
    return ask(text[::-1])


def words_backwards(text):
    return ask(" ".join(reversed(text.split())))


def every_other(text):
    return ask(text[::2])


def swapped(text):
    return ask(text.translate(str.maketrans("_-", "  ")).swapcase())


def shifted(text):
    return ask("".join(chr(ord(c) - 1) for c in text))


# -------------------------------------------------------------- compositions


def base64_after_prefix(data):
    return ask(base64.b64decode(data.split("base64,")[1]).decode())


def base64_of_json(data):
    return ask(json.loads(base64.b64decode(data))["text"])


def lowered_second_line(text):
    return ask(text.split("\n")[1].strip().lower())


def field_of_command(message):
    if not message.startswith("/say"):
        return None
    return ask(message.split(" ", 1)[1][::-1])


def command_in_json(body):
    text = json.loads(body)["text"]
    return ask(text[len("bot ") :]) if text.startswith("bot ") else None


def quoted_field(line):
    return ask(line.split(";")[2].strip()[1:-1])
