"""Amazon's and Azure's picture labels on the loopback, strict about who asks and how."""

import base64
import json
from urllib.parse import parse_qs, urlsplit

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator

from tests.end_to_end.outside import KEY, Outside, seen_on

KEY_ID, SECRET, REGION = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "eu-central-1"
AMAZON, AZURE = "/amazon/", "/azure/computervision/imageanalysis:analyze"


class Clouds(Outside):
    """Both services, and Openverse; ``refused`` says what was wrong with a question."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: list[str] = []
        model = Loader().load_service_model("rekognition", "service-2")
        self._operation = ServiceModel(model).operation_model("DetectLabels")

    def variables(self) -> dict[str, str]:
        return {
            "ASSAYER_ENGINES__AWS_REKOGNITION__ENDPOINT": f"{self.url}{AMAZON}",
            "ASSAYER_ENGINES__AWS_REKOGNITION__REGION": REGION,
            "ASSAYER_ENGINES__AWS_REKOGNITION__CREDENTIALS": "env:AWS_PAIR",
            "ASSAYER_ENGINES__AZURE_VISION__ENDPOINT": f"{self.url}/azure",
            "ASSAYER_ENGINES__AZURE_VISION__CREDENTIALS": "env:AZURE_KEY",
            "ASSAYER_SOURCES__IMAGES__KIND": "openverse",
            "ASSAYER_SOURCES__IMAGES__ENDPOINT": self.url,
            "AWS_PAIR": f"{KEY_ID}:{SECRET}",
            "AZURE_KEY": KEY,
        }

    def received(self, method, address, headers, body):
        path = urlsplit(address).path
        if self.trouble or path not in {AMAZON, AZURE}:
            return super().received(method, address, headers, body)
        self.asked.append(f"{method} {path}")
        asked = self._of_amazon if path == AMAZON else self._of_azure
        status, answer = asked(address, headers, body)
        if status != 200:
            self.refused.append(str(answer))
        return status, json.dumps(answer).encode()

    def _of_amazon(self, address, headers, body):
        if headers["authorization"] != self._signed(address, headers, body):
            return 400, {"__type": "InvalidSignatureException", "message": "do not match"}
        media, target = headers["content-type"], headers["x-amz-target"]
        if (media, target) != ("application/x-amz-json-1.1", "RekognitionService.DetectLabels"):
            return 400, {"__type": "UnknownOperationException"}
        asked = json.loads(body)
        asked["Image"]["Bytes"] = base64.b64decode(asked["Image"]["Bytes"], validate=True)
        report = ParamValidator().validate(asked, self._operation.input_shape)
        if report.has_errors():
            return 400, {"__type": "ValidationException", "message": report.generate_report()}
        names = seen_on(asked["Image"]["Bytes"])
        labels = [{"Name": name, "Confidence": 95.0 - n} for n, name in enumerate(names)]
        return 200, {"Labels": labels[: asked.get("MaxLabels", 1000)], "LabelModelVersion": "3.0"}

    def _signed(self, address, headers, body):
        names = headers["authorization"].partition("SignedHeaders=")[2].partition(",")[0]
        given = {name: headers[name] for name in names.split(";")}
        request = AWSRequest("POST", f"{self.url}{address}", data=body, headers=given)
        request.context["timestamp"] = headers["x-amz-date"]
        auth = SigV4Auth(Credentials(KEY_ID, SECRET), "rekognition", REGION)
        told = auth.string_to_sign(request, auth.canonical_request(request))
        return (
            f"AWS4-HMAC-SHA256 Credential={auth.scope(request)},"
            f" SignedHeaders={names}, Signature={auth.signature(told, request)}"
        )

    def _of_azure(self, address, headers, body):
        if headers.get("ocp-apim-subscription-key") != KEY:
            return 401, {"error": {"code": "401", "message": "Access denied"}}
        query = parse_qs(urlsplit(address).query)
        if query != {"api-version": ["2023-10-01"], "features": ["tags"]}:
            return 400, {"error": {"code": "InvalidRequest", "message": f"{query}"}}
        if headers["content-type"] != "application/octet-stream":
            return 415, {"error": {"code": "InvalidRequest", "message": "media type"}}
        values = [{"name": name.lower(), "confidence": 0.9} for name in seen_on(body)]
        size = {"width": 96, "height": 96}
        return 200, {"tagsResult": {"values": values}, "metadata": size, "modelVersion": "1"}
