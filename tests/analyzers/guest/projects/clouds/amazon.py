import boto3
import botocore.exceptions
from boto3.session import Session
from botocore.exceptions import ClientError

rekognition = boto3.client("rekognition")


def everything(function, argument):
    return globals()[function](argument)


def labels(image):
    response = rekognition.detect_labels(Image={"Bytes": image}, MaxLabels=5, MinConfidence=70)
    return [label["Name"].lower() for label in response["Labels"] if label["Confidence"] > 80]


def labels_in_bucket(key):
    client = Session(profile_name="production").client("rekognition", region_name="eu-west-1")
    response = client.detect_labels(Image={"S3Object": {"Bucket": "photos", "Name": key}})
    return response["Labels"][0]["Name"], response["ResponseMetadata"]["HTTPStatusCode"]


def lines(path):
    with open(path, "rb") as image:
        found = rekognition.detect_text(Image={"Bytes": image.read()})["TextDetections"]
    return [text["DetectedText"] for text in found if text["Type"] == "LINE"]


def mood(image):
    faces = rekognition.detect_faces(Image={"Bytes": image}, Attributes=["ALL"])["FaceDetails"]
    return max(faces[0]["Emotions"], key=lambda emotion: emotion["Confidence"])["Type"]


def unsafe(image):
    response = rekognition.detect_moderation_labels(Image={"Bytes": image})
    return any(label["ParentName"] == "Violence" for label in response["ModerationLabels"])


def celebrity(image):
    return rekognition.recognize_celebrities(Image={"Bytes": image})["CelebrityFaces"][0]["Name"]


def same_person(image):
    response = rekognition.compare_faces(
        SourceImage={"Bytes": image}, TargetImage={"Bytes": b"other"}, SimilarityThreshold=90
    )
    return bool(response["FaceMatches"]), response["UnmatchedFaces"]


def feeling(text):
    comprehend = boto3.Session().client("comprehend")
    response = comprehend.detect_sentiment(Text=text, LanguageCode="en")
    return response["Sentiment"], response["SentimentScore"]["Positive"] > 0.5


def feelings(text):
    comprehend = boto3.client("comprehend")
    response = comprehend.batch_detect_sentiment(TextList=[text, "dull"], LanguageCode="en")
    return [(one["Index"], one["Sentiment"]) for one in response["ResultList"]]


def entities(text):
    found = boto3.client("comprehend").detect_entities(Text=text, LanguageCode="en")["Entities"]
    return [(entity["Type"], entity["Text"]) for entity in found]


def phrases(text):
    found = boto3.client("comprehend").detect_key_phrases(Text=text, LanguageCode="en")
    return [phrase["Text"] for phrase in found["KeyPhrases"]]


def language(text):
    languages = boto3.client("comprehend").detect_dominant_language(Text=text)["Languages"]
    return languages[0]["LanguageCode"] if languages else None


def kind(text):
    comprehend = boto3.client("comprehend")
    return comprehend.classify_document(Text=text, EndpointArn="arn:x")["Classes"][0]["Name"]


def document(image):
    textract = boto3.client("textract")
    blocks = textract.detect_document_text(Document={"Bytes": image})["Blocks"]
    return [block["Text"] for block in blocks if block["BlockType"] == "LINE"]


def form(image):
    textract = boto3.client("textract")
    response = textract.analyze_document(Document={"Bytes": image}, FeatureTypes=["FORMS"])
    return len(response["Blocks"])


def transcript(uri):
    transcribe = boto3.client("transcribe")
    transcribe.start_transcription_job(
        TranscriptionJobName="job", Media={"MediaFileUri": uri}, LanguageCode="en-US"
    )
    job = transcribe.get_transcription_job(TranscriptionJobName="job")["TranscriptionJob"]
    return job["TranscriptionJobStatus"], job["Transcript"]["TranscriptFileUri"]


def handled(image):
    try:
        return rekognition.detect_labels(Image={"Bytes": image})["Labels"]
    except rekognition.exceptions.InvalidImageFormatException:
        return "no picture"
    except ClientError as error:
        return error.response["Error"]["Code"]


def stored(key):
    body = boto3.client("s3").get_object(Bucket="photos", Key=key)["Body"].read()
    return labels(body)


def stored_with_care(key):
    try:
        boto3.resource("s3").Object("photos", key).get()
    except botocore.exceptions.EndpointConnectionError:
        return "not there"


def wrong(image):
    return rekognition.detect_labels(Image={"Bytes": image})["Labls"]


def misused(image):
    return rekognition.detect_labels(Picture={"Bytes": image})
