import base64
import time

from googleapiclient import discovery
from googleapiclient.errors import HttpError


def body(content):
    image = {"content": base64.b64encode(content).decode()}
    return {"requests": [{"image": image, "features": [{"type": "LABEL_DETECTION"}]}]}


def picture(content):
    with discovery.build("vision", "v1", developerKey="none") as service:
        response = service.images().annotate(body=body(content)).execute(num_retries=3)
    return [found["description"] for found in response["responses"][0]["labelAnnotations"]]


def words(text):
    service = discovery.build("language", "v1beta2", cache_discovery=False)
    document = {"type": "PLAIN_TEXT", "content": text}
    request = {"document": document, "features": {"extractEntities": True}}
    response = service.documents().annotateText(body=request).execute()
    return response["entities"][0]["name"]


def sound(content):
    service = discovery.build(serviceName="speech", version="v1")
    config = {"encoding": "LINEAR16", "sampleRateHertz": 16000, "languageCode": "en-US"}
    request = {"config": config, "audio": {"content": base64.b64encode(content).decode()}}
    operation = service.speech().longrunningrecognize(body=request).execute()
    for _ in range(10):
        operation = service.operations().get(name=operation["name"]).execute()
        if operation.get("done"):
            break
        time.sleep(1)
    heard = operation["response"]["results"][0]["alternatives"][0]
    return heard["transcript"], heard["confidence"]


def handled(content):
    service = discovery.build("vision", "v1")
    try:
        return service.images().annotate(body=body(content)).execute()
    except HttpError as error:
        return error.resp.status


def everything(function, argument):
    return globals()[function](argument)
