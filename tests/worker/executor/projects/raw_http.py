"""A project that asks ML APIs without their SDKs; it runs in the guest."""

import asyncio
import base64
import http.client
import json
import os
import socket
import ssl
import subprocess
import urllib.request

import aiohttp
import httpx
import requests
import urllib3
from requests.adapters import HTTPAdapter

LABELS = "https://vision.googleapis.com/v1/images:annotate?key=k"
SENTIMENT = "https://language.googleapis.com/v1/documents:analyzeSentiment"
ELSEWHERE = "https://api.example.com/v1/x?token=secret"


def _labels(content=b"picture"):
    image = {"content": base64.b64encode(content).decode()}
    return {"requests": [{"image": image, "features": [{"type": "LABEL_DETECTION"}]}]}


def _read(answer):
    return answer["responses"][0]["labelAnnotations"][0]["description"]


def call(name, argument):
    function = globals()[name]
    return function() if argument is None else function(argument)


# ------------------------------------------------------------------ clients


def by_requests(url=LABELS):
    return _read(requests.post(url, json=_labels()).json())


def by_prepared_requests(url=LABELS):
    request = requests.Request("POST", url, json=_labels()).prepare()
    return _read(requests.Session().send(request).json())


def by_httpx(url=LABELS):
    return _read(httpx.post(url, json=_labels()).json())


def by_httpx_stream(url=LABELS):
    with httpx.stream("POST", url, json=_labels()) as response:
        return _read(json.loads(response.read()))


def by_async_httpx(url=LABELS):
    async def ask():
        async with httpx.AsyncClient() as client:
            return await client.send(client.build_request("POST", url, json=_labels()))

    return _read(asyncio.run(ask()).json())


def by_urllib(url=LABELS):
    with urllib.request.urlopen(url, json.dumps(_labels()).encode()) as response:
        return _read(json.load(response))


def by_opener(url=LABELS):
    request = urllib.request.Request(url, json.dumps(_labels()).encode())
    with urllib.request.build_opener().open(request) as response:
        return _read(json.load(response))


def by_urllib3(url=LABELS):
    return _read(urllib3.PoolManager().request("POST", url, json=_labels()).json())


def by_http_client(url=LABELS):
    _, _, host, path = url.split("/", 3)
    connection = http.client.HTTPSConnection(host)
    connection.request("POST", f"/{path}", json.dumps(_labels()))
    return _read(json.load(connection.getresponse()))


def by_chunks(url=LABELS):
    _, _, host, path = url.split("/", 3)
    connection = http.client.HTTPSConnection(host)
    text = json.dumps(_labels()).encode()
    connection.request("POST", f"/{path}", iter([text[:9], text[9:]]), encode_chunked=True)
    first = _read(json.load(connection.getresponse()))
    connection.request("POST", f"/{path}", text)
    return first, _read(json.load(connection.getresponse()))


def by_aiohttp(url=LABELS, trust_env=False):
    async def ask():
        async with aiohttp.ClientSession(trust_env=trust_env) as session:
            async with session.post(url, json=_labels()) as response:
                return await response.json()

    return _read(asyncio.run(ask()))


def by_trusting_aiohttp(url=LABELS):
    return by_aiohttp(url, trust_env=True)


def by_curl(url=LABELS):
    command = ["curl", "-sS", url, "-d", json.dumps(_labels())]
    return _read(json.loads(subprocess.check_output(command)))


# -------------------------------------------------------------------- others


def patiently():
    session = requests.Session()
    session.mount("https://", HTTPAdapter(max_retries=urllib3.Retry(4, backoff_factor=30)))
    return session.get(ELSEWHERE)


def unknown_path():
    return urllib.request.build_opener().open("https://vision.googleapis.com/v1/models?a=b")


def by_curl_elsewhere():
    done = subprocess.run(["curl", "-sS", ELSEWHERE], capture_output=True, text=True)
    return done.returncode, done.stderr


def looks_around():
    said = []
    for address in (("192.0.2.1", 443), ("metadata.google.internal", 80), ("127.0.0.1", 1)):
        with socket.socket() as sock:
            try:
                sock.connect(address)
            except OSError as error:
                said.append(type(error).__name__)
    with socket.socket() as sock:
        said.append(sock.connect_ex(("192.0.2.2", 443)))
    return said, os.path.exists(os.environ["SSL_CERT_FILE"])


def distrusting():
    context = ssl.create_default_context(cafile=requests.certs.where())
    strict = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    verified = http.client.HTTPSConnection("vision.googleapis.com", context=context)
    verified.connect()
    subject = dict(name for names in verified.sock.getpeercert()["issuer"] for name in names)
    try:
        http.client.HTTPSConnection("vision.googleapis.com", context=strict).connect()
    except ssl.SSLCertVerificationError:
        return subject["commonName"]


def raw(*pieces):
    with socket.create_connection(("vision.googleapis.com", 80), timeout=30) as sock:
        try:
            for piece in pieces:
                sock.sendall(piece)
            return sock.recv(60)
        except ConnectionError:
            return b"closed"


def rudely(kind):
    head = b"POST /v1/images:annotate HTTP/1.1\r\nHost: vision.googleapis.com\r\n"
    pieces = {
        "garbage": [b"\0\1\2\3\r\n\r\n"],
        "long line": [b"GET /" + b"a" * 100_000],
        "long body": [head + b"Content-Length: 99999999999\r\n\r\n"],
        "long chunk": [head + b"Transfer-Encoding: chunked\r\n\r\nfffffffff\r\n"],
        "odd chunk": [head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"],
        "odd length": [head + b"Content-Length: many\r\n\r\n"],
        "no JSON": [head + b"Content-Length: 2\r\n\r\n{]"],
        "odd body": [head + b"Content-Length: 2\r\n\r\n[]"],
        "odd tunnel": [b"CONNECT vision.googleapis.com:443 HTTP/1.1\r\n\r\n\x16\3\1\0\1x"],
    }[kind]
    first = raw(*pieces)
    return first.split(b"\r\n")[0], by_http_client()


# ------------------------------------------------------------------ providers


def _ask(url, body, **headers):
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.build_opener().open(request) as response:
        return json.load(response)


def aws():
    image = {"Image": {"Bytes": base64.b64encode(b"picture").decode()}, "MaxLabels": 3}
    target = {"X-Amz-Target": "RekognitionService.DetectLabels"}
    url = "https://rekognition.eu-west-1.amazonaws.com/"
    return _ask(url, image, **target)["Labels"][0]["Name"]


def azure():
    url = "https://mine.cognitiveservices.azure.com/text/analytics/v3.1/sentiment"
    body = {"documents": [{"id": "1", "text": "good"}, {"id": "2", "text": "fine"}]}
    found = _ask(url, body)["documents"]
    return [(each["id"], each["confidenceScores"]["positive"]) for each in found]


def azure_picture():
    url = "https://mine.cognitiveservices.azure.com/computervision/imageanalysis:analyze?features=tags"
    request = urllib.request.Request(url, b"picture", {"Content-Type": "application/octet-stream"})
    with urllib.request.build_opener().open(request) as response:
        return json.load(response)["tagsResult"]["values"][0]["name"]


def openai():
    url = "https://api.openai.com/v1/chat/completions"
    body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    return _ask(url, body, Authorization="Bearer k")["choices"][0]["message"]["content"]


def hugging_face():
    url = "https://router.huggingface.co/hf-inference/models/x/y/pipeline/text-classification"
    return _ask(url, {"inputs": "good"})[0][0]["label"]


def speech():
    url = "https://speech.googleapis.com/v1/speech:recognize"
    audio = {"content": base64.b64encode(b"sound").decode()}
    found = _ask(url, {"config": {"languageCode": "en"}, "audio": audio})
    return found["results"][0]["alternatives"][0]["transcript"]


def openai_stream():
    url = "https://api.openai.com/v1/chat/completions"
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hello"}]}
    with httpx.stream("POST", url, json=body) as response:
        return [line for line in response.iter_lines() if line][-1], response.headers["content-type"]


def openai_upload():
    url = "https://api.openai.com/v1/audio/transcriptions"
    files = {"file": ("a.wav", b"sound", "audio/wav")}
    return requests.post(url, files=files, data={"model": "whisper-1"}).json()["text"]


# --------------------------------------------------- the same, called and sent


PICTURE = "https://mine.cognitiveservices.azure.com/computervision/imageanalysis:analyze"


def azure_called():
    body = {"url": "https://example.com/a.png"}
    return requests.post(PICTURE, params={"features": "tags"}, json=body).json()["tagsResult"]


def azure_sent():
    body = {"url": "https://example.com/a.png"}
    request = requests.Request("POST", PICTURE, params={"features": "tags"}, json=body)
    return requests.Session().send(request.prepare()).json()["tagsResult"]


def aws_called():
    target = {"X-Amz-Target": "Comprehend_20171127.DetectSentiment"}
    url = "https://comprehend.us-east-1.amazonaws.com/"
    body = json.dumps({"Text": "good", "LanguageCode": "en"})
    return requests.post(url, data=body, headers=target).json()["Sentiment"]


def aws_sent():
    url = "https://comprehend.us-east-1.amazonaws.com/"
    return _ask(url, {"Text": "good", "LanguageCode": "en"}, **{
        "X-Amz-Target": "Comprehend_20171127.DetectSentiment"
    })["Sentiment"]


def openai_called():
    url = "https://api.openai.com/v1/moderations"
    return httpx.post(url, json={"input": "fine"}).json()["results"][0]["flagged"]


def openai_sent():
    return _ask("https://api.openai.com/v1/moderations", {"input": "fine"})["results"][0]["flagged"]


def google_called():
    document = {"type": "PLAIN_TEXT", "content": "good"}
    return requests.post(SENTIMENT, json={"document": document}).json()["documentSentiment"]


def google_sent():
    return _ask(SENTIMENT, {"document": {"type": "PLAIN_TEXT", "content": "good"}})[
        "documentSentiment"
    ]


# --------------------------------------------------------------------- search


def alarm(content):
    connection = http.client.HTTPSConnection("vision.googleapis.com")
    connection.request("POST", "/v1/images:annotate", json.dumps(_labels(content)))
    found = json.load(connection.getresponse())["responses"][0].get("labelAnnotations", [])
    if "Fire" in [label["description"] for label in found]:
        return "alarm"
    return "calm"
