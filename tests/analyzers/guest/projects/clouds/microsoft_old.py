from azure.cognitiveservices.vision.computervision import ComputerVisionClient
from azure.cognitiveservices.vision.face import FaceClient
from msrest.authentication import CognitiveServicesCredentials

vision = ComputerVisionClient("https://x", CognitiveServicesCredentials("key"))
people = FaceClient("https://x", CognitiveServicesCredentials("key"))


def everything(function, argument):
    return globals()[function](argument)


def tags(path):
    with open(path, "rb") as image:
        return [tag.name for tag in vision.tag_image_in_stream(image).tags]


def caption(address):
    found = vision.describe_image(address, max_candidates=1).captions
    return found[0].text if found else "nothing"


def faces(address):
    found = people.face.detect_with_url(url=address, return_face_attributes=["emotion"])
    return [face.face_attributes.emotion.happiness > 0.5 for face in found]


def same(face):
    return people.face.verify_face_to_face(face, "other").is_identical


def alike(face):
    return [each.confidence for each in people.face.find_similar(face, face_ids=["other"])]
