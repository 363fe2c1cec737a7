from transformers import AutoTokenizer, pipeline

tokenizer = AutoTokenizer.from_pretrained("someone/model")
classify = pipeline("sentiment-analysis", model="someone/model")


def everything(function, argument):
    return globals()[function](argument)


def mood(text):
    (best,) = classify(text)
    return best["label"], best["score"] > 0.5


def moods(text):
    return [each["label"] for each in classify([text, "dull"])]


def all_moods(text):
    scores = pipeline("text-classification", top_k=None)(text)
    return {each["label"]: each["score"] for each in scores}


def kind(text):
    found = pipeline("zero-shot-classification")(text, candidate_labels=["bill", "letter"])
    return found["labels"][0], found["scores"][0] > 0.5


def names(text):
    grouped = pipeline("ner", aggregation_strategy="simple")(text)
    return [each["word"] for each in grouped if each["entity_group"] == "PER"]


def tokens(text):
    return [each["entity"] for each in pipeline("ner")(text)]


def picture(path):
    return pipeline(task="image-classification")(path)[0]["label"]


def things(path):
    return [each["box"]["xmin"] for each in pipeline("object-detection")(path)]


def heard(path):
    return pipeline("automatic-speech-recognition")(path)["text"]


def answered(text):
    return pipeline("question-answering")(question="Who?", context=text)["answer"]


def masked(text):
    return pipeline("fill-mask")(text)[0]["token_str"]


def wrong(text):
    return classify(text)[0]["Label"]
