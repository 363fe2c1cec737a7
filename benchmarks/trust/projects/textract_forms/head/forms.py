"""Fields of scanned forms."""

import re

import boto3

FIELD = re.compile(r"^\s*(?P<name>[A-Za-z ]+):\s*(?P<value>.*)$")


def lines(path, client=None):
    client = client or boto3.client("textract", region_name="us-east-1")
    with open(path, "rb") as file:
        answer = client.detect_document_text(Document={"Bytes": file.read()})
    return [block["Text"] for block in answer["Blocks"] if block["BlockType"] == "LINE"]


def fields(path):
    """Names and values of the form; the last of a name counts."""
    found = {}
    for line in lines(path):
        match = FIELD.match(line)
        if match:
            found[match["name"].strip().lower()] = match["value"].strip()
    return found


def is_complete(path, required=("name", "date")):
    present = fields(path)
    return all(present.get(name) for name in required)
