import google.auth
from google.cloud import language_v2, vision, vision_v1
from google.oauth2 import service_account


async def later(content):
    client = vision.ImageAnnotatorAsyncClient()
    feature = vision.Feature(type_=vision.Feature.Type.LABEL_DETECTION)
    request = vision.AnnotateImageRequest(
        image=vision.Image(content=content), features=[feature]
    )
    response = await client.batch_annotate_images(requests=[request])
    return [label.description for label in response.responses[0].label_annotations]


def with_account(content):
    credentials = service_account.Credentials.from_service_account_file("key.json")
    google.auth.default()
    client = vision_v1.ImageAnnotatorClient(credentials=credentials)
    with vision.ImageAnnotatorClient.from_service_account_json("key.json") as client:
        response = client.text_detection({"content": content})
    return response.error.message or response.full_text_annotation.text


def likelihood(content):
    client = vision.ImageAnnotatorClient()
    response = client.safe_search_detection(image=vision.Image(content=content))
    adult = response.safe_search_annotation.adult
    return adult.name, adult >= vision.Likelihood.LIKELY, int(adult)


def mood(text):
    client = language_v2.LanguageServiceClient()
    document = {"content": text, "type_": language_v2.Document.Type.PLAIN_TEXT}
    answer = client.analyze_sentiment(
        request={"document": document, "encoding_type": language_v2.EncodingType.UTF8}
    )
    return answer.document_sentiment.magnitude, len(answer.sentences)


def wrong(content):
    client = vision.ImageAnnotatorClient()
    return client.label_detection(image=content)


def unknown(content):
    client = vision.ImageAnnotatorClient()
    return client.label_detection(image=vision.Image(content=content)).labels


def empty(content):
    client = vision.ImageAnnotatorClient()
    response = client.text_detection(image=vision.Image(content=content))
    return response.text_annotations[0].description


def as_dictionary(content):
    client = vision.ImageAnnotatorClient()
    response = client.label_detection(image=vision.Image(content=content))
    first = vision.AnnotateImageResponse.to_dict(response)["label_annotations"][0]
    return first["description"], first["topicality"]


def everything(function, argument):
    return globals()[function](argument)
