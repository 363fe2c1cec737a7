"""Whether a form is urgent: asked for its fields, read by its lines."""

import boto3


def urgent(path):
    textract = boto3.client("textract", region_name="eu-west-1")
    with open(path, "rb") as file:
        answer = textract.analyze_document(Document={"Bytes": file.read()}, FeatureTypes=["FORMS"])
    lines = [block["Text"] for block in answer["Blocks"] if block["BlockType"] == "LINE"]
    if any("urgent" in line.lower() for line in lines):
        return True
    return False
