"""Sorts receipts."""

import boto3


def kind(path):
    client = boto3.client("textract")
    with open(path, "rb") as file:
        blocks = client.detect_document_text(Document={"Bytes": file.read()})["Blocks"]
    lines = [block["Text"] for block in blocks if block["BlockType"] == "LINE"]
    for line in lines:
        if "TOTAL" in line.upper():
            return "receipt"
        if "INVOICE" in line.upper():
            return "invoice"
    return "letter"
