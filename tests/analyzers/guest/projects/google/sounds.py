import asyncio

from google.cloud import speech, speech_v1p1beta1, speech_v2

RATE = 16000


def config(module=speech):
    return module.RecognitionConfig(
        encoding=module.RecognitionConfig.AudioEncoding.LINEAR16,
        sample_rate_hertz=RATE,
        language_code="en-US",
    )


def said(response):
    return [result.alternatives[0].transcript for result in response.results]


def recognize(content):
    client = speech.SpeechClient()
    audio = speech.RecognitionAudio(content=content)
    response = client.recognize(config=config(), audio=audio)
    return said(response), response.results[0].alternatives[0].confidence > 0.5


def by_request(content):
    client = speech.SpeechClient(transport="rest")
    plain = {"language_code": "en-US", "encoding": "LINEAR16", "sample_rate_hertz": RATE}
    return said(client.recognize(request={"config": plain, "audio": {"content": content}}))


def in_beta(content):
    client = speech_v1p1beta1.SpeechClient()
    audio = speech_v1p1beta1.RecognitionAudio(content=content)
    return said(client.recognize(config=config(speech_v1p1beta1), audio=audio))


def by_uri(uri):
    client = speech.SpeechClient.from_service_account_file("nowhere.json")
    operation = client.long_running_recognize(
        config=config(), audio=speech.RecognitionAudio(uri=uri)
    )
    return operation.done(), said(operation.result(timeout=90))


def parts(content, module=speech):
    for start in range(0, len(content), 3):
        yield module.StreamingRecognizeRequest(audio_content=content[start : start + 3])


def in_stream(content):
    client = speech.SpeechClient()
    streaming = speech.StreamingRecognitionConfig(config=config(), interim_results=True)
    responses = client.streaming_recognize(streaming, parts(content))
    return [(said(response), response.results[0].is_final) for response in responses]


async def _later(content):
    client = speech.SpeechAsyncClient()
    audio = speech.RecognitionAudio(content=content)
    first = await client.recognize(config=config(), audio=audio)
    operation = await client.long_running_recognize(config=config(), audio=audio)
    second = await operation.result()

    async def requests():
        streaming = speech.StreamingRecognitionConfig(config=config())
        yield speech.StreamingRecognizeRequest(streaming_config=streaming)
        yield speech.StreamingRecognizeRequest(audio_content=content)

    stream = await client.streaming_recognize(requests=requests())
    third = [response async for response in stream]
    return said(first) + said(second) + said(third[0])


def later(content):
    return asyncio.run(_later(content))


RECOGNIZER = "projects/p/locations/global/recognizers/_"


def newer(module=speech_v2):
    return module.RecognitionConfig(
        auto_decoding_config=module.AutoDetectDecodingConfig(),
        language_codes=["en-US"],
        model="long",
    )


def second_version(content):
    client = speech_v2.SpeechClient(client_options={"api_endpoint": "eu-speech.googleapis.com"})
    request = speech_v2.RecognizeRequest(recognizer=RECOGNIZER, config=newer(), content=content)
    return said(client.recognize(request=request))


def second_version_in_batch(uri):
    client = speech_v2.SpeechClient()
    file = speech_v2.BatchRecognizeFileMetadata(uri=uri)
    request = speech_v2.BatchRecognizeRequest(recognizer=RECOGNIZER, config=newer(), files=[file])
    response = client.batch_recognize(request=request).result(timeout=120)
    return said(response.results[uri].transcript)


def second_version_in_stream(content):
    client = speech_v2.SpeechClient()
    start = speech_v2.StreamingRecognizeRequest(
        recognizer=RECOGNIZER,
        streaming_config=speech_v2.StreamingRecognitionConfig(config=newer()),
    )
    audio = speech_v2.StreamingRecognizeRequest(audio=content)
    return [said(response) for response in client.streaming_recognize(requests=iter([start, audio]))]


def everything(function, argument):
    return globals()[function](argument)
