from google.cloud import speech
from google.cloud.speech import enums, types


def recognize(content):
    client = speech.SpeechClient()
    audio = types.RecognitionAudio(content=content)
    config = types.RecognitionConfig(
        encoding=enums.RecognitionConfig.AudioEncoding.LINEAR16,
        sample_rate_hertz=16000,
        language_code="en-US",
    )
    response = client.recognize(config, audio)
    return [result.alternatives[0].transcript for result in response.results]


def in_stream(content):
    client = speech.SpeechClient()
    config = types.RecognitionConfig(language_code="en-US")
    streaming = types.StreamingRecognitionConfig(config=config)
    requests = (types.StreamingRecognizeRequest(audio_content=part) for part in [content])
    responses = client.streaming_recognize(streaming, requests)
    return [response.results[0].alternatives[0].transcript for response in responses]


def in_time(content):
    client = speech.SpeechClient()
    config = {"language_code": "en-US"}
    operation = client.long_running_recognize(config, {"content": content})
    return operation.result(timeout=90).results[0].alternatives[0].transcript


def everything(function, argument):
    return globals()[function](argument)
