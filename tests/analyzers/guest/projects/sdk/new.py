from google.cloud import language_v1, vision


def classify(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    response = client.label_detection(image=image, max_results=3)
    for label in response.label_annotations:
        if label.description == "Food" and label.score > 0.8:
            return "food"
    return "other"


def first_text(content):
    client = vision.ImageAnnotatorClient()
    response = client.annotate_image(
        {
            "image": {"content": content},
            "features": [
                {"type_": vision.Feature.Type.TEXT_DETECTION},
                {"type_": vision.Feature.Type.LABEL_DETECTION},
            ],
        }
    )
    return response.text_annotations[0].description, len(response.label_annotations)


def mood(text):
    client = language_v1.LanguageServiceClient()
    document = language_v1.Document(
        content=text, type_=language_v1.Document.Type.PLAIN_TEXT
    )
    sentiment = client.analyze_sentiment(request={"document": document}).document_sentiment
    return sentiment.score


def everything(function, argument):
    return globals()[function](argument)
