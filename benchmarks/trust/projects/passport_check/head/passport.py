"""Compares a selfie with the picture in a passport."""

import boto3
from botocore.exceptions import ClientError

rekognition = boto3.client("rekognition", region_name="eu-west-1")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def same_person(passport, selfie, threshold=90.0):
    """True, False, or None where one of the pictures shows no face."""
    try:
        answer = rekognition.compare_faces(
            SourceImage={"Bytes": read(passport)},
            TargetImage={"Bytes": read(selfie)},
            SimilarityThreshold=0,
        )
    except ClientError as error:
        if error.response["Error"]["Code"] == "InvalidParameterException":
            return None
        raise
    matches = answer["FaceMatches"]
    if not matches:
        return False
    return max(match["Similarity"] for match in matches) >= threshold
