from google.cloud import speech


def recognize(content):
    client = speech.Client()
    sample = client.sample(content, encoding="LINEAR16", sample_rate_hertz=16000)
    return [(found.transcript, found.confidence) for found in sample.recognize("en-US")]


def in_time(content):
    sample = speech.Client().sample(content=content, encoding="FLAC")
    operation = sample.long_running_recognize(language_code="en-US")
    while not operation.complete:
        operation.poll()
    return operation.results[0].alternatives[0].transcript


def everything(function, argument):
    return globals()[function](argument)
