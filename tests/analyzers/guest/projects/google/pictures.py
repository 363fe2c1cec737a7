import asyncio

import google.auth
from google.cloud import vision
from google.oauth2 import service_account

HELPERS = {
    "label_detection": lambda r: r.label_annotations[0].description,
    "text_detection": lambda r: r.text_annotations[0].description,
    "document_text_detection": lambda r: r.full_text_annotation.text,
    "face_detection": lambda r: r.face_annotations[0].joy_likelihood.name,
    "landmark_detection": lambda r: r.landmark_annotations[0].locations[0].lat_lng.latitude,
    "logo_detection": lambda r: r.logo_annotations[0].description,
    "object_localization": lambda r: r.localized_object_annotations[0].name,
    "safe_search_detection": lambda r: r.safe_search_annotation.adult.name,
    "image_properties": lambda r: r.image_properties_annotation.dominant_colors.colors[0].score,
    "web_detection": lambda r: r.web_detection.web_entities[0].description,
    "crop_hints": lambda r: r.crop_hints_annotation.crop_hints[0].importance_fraction,
    "product_search": lambda r: r.product_search_results.results[0].product.display_name,
}


def helper(name, content):
    client = vision.ImageAnnotatorClient()
    response = getattr(client, name)(image=vision.Image(content=content))
    return HELPERS[name](response)


def feature():
    return vision.Feature(type_=vision.Feature.Type.LABEL_DETECTION)


def named(response):
    return [label.description for label in response.label_annotations]


def by_rest_transport(content):
    client = vision.ImageAnnotatorClient(transport="rest")
    return named(client.label_detection(image=vision.Image(content=content)))


def in_batch(content):
    client = vision.ImageAnnotatorClient()
    image = vision.Image(content=content)
    request = vision.AnnotateImageRequest(image=image, features=[feature()])
    answers = client.batch_annotate_images(requests=[request, request]).responses
    return [named(answer) for answer in answers]


def in_request(content):
    client = vision.ImageAnnotatorClient()
    features = [{"type_": vision.Feature.Type.LABEL_DETECTION}]
    item = {"image": {"content": content}, "features": features}
    return named(client.batch_annotate_images(request={"requests": [item]}).responses[0])


def with_all_features(content):
    client = vision.ImageAnnotatorClient()
    response = client.annotate_image({"image": {"content": content}})
    return named(response), response.text_annotations[0].description


def from_open_file(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        return named(client.label_detection(image=file))


async def _later(content):
    async with vision.ImageAnnotatorAsyncClient() as client:
        request = {"image": {"content": content}, "features": [feature()]}
        answers = await asyncio.gather(
            client.batch_annotate_images(requests=[request]),
            client.batch_annotate_images({"requests": [request]}),
        )
    return [named(answer.responses[0]) for answer in answers]


def later(content):
    return asyncio.run(_later(content))


def with_accounts(content):
    account = service_account.Credentials.from_service_account_file("nowhere.json")
    found, project = google.auth.default()
    clients = [
        vision.ImageAnnotatorClient(credentials=account),
        vision.ImageAnnotatorClient(credentials=found.with_quota_project(project)),
        vision.ImageAnnotatorClient.from_service_account_json("nowhere.json"),
        vision.ImageAnnotatorClient.from_service_account_file("nowhere.json"),
        vision.ImageAnnotatorClient.from_service_account_info({"private_key": ""}),
        vision.ImageAnnotatorAsyncClient.from_service_account_file("nowhere.json"),
        vision.ImageAnnotatorClient(client_options={"api_key": "none"}),
    ]
    image = vision.Image(content=content)
    return [named(c.label_detection(image=image)) for c in clients if "Async" not in repr(type(c))]


def of_files(content):
    client = vision.ImageAnnotatorClient()
    config = {"content": content, "mime_type": "application/pdf"}
    request = {"input_config": config, "features": [feature()]}
    return client.async_batch_annotate_files(requests=[request]).result(timeout=420)


def misspelt(content):
    return vision.ImageAnnotatorClient(credential=content)


def given_twice(content):
    client = vision.ImageAnnotatorClient()
    return client.batch_annotate_images({"requests": []}, requests=[{"image": {}}])


def everything(function, argument):
    name, _, part = function.partition(":")
    return helper(part, argument) if part else globals()[name](argument)
