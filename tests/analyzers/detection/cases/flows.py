"""Ways from an answer to a condition."""

from google.cloud import vision

WANTED = {"dog", "cat"}
THRESHOLDS = {"Dog": 0.5, "Cat": 0.7}
client = vision.ImageAnnotatorClient()


def labels(content):
    return client.label_detection(image=vision.Image(content=content)).label_annotations


def by_flag(content):
    found = False
    count = 0
    for label in labels(content):
        if label.description.lower() in WANTED:
            found = True
            count += 1
    if found and count > 1:
        return "many"
    return "few"


def by_filter(content):
    good = list(filter(lambda label: label.score > 0.5, labels(content)))
    best = max(good, key=lambda label: label.score)
    return best.description if best.score > 0.9 else None


def by_table(content):
    kept = {}
    for label in labels(content):
        if label.score > THRESHOLDS.get(label.description, 1):
            kept[label.description] = label.score
    while kept:
        name, score = kept.popitem()
        assert score > 0
        print(name)


def by_record(content, path):
    record = {"path": path, "labels": [label.description for label in labels(content)]}
    if record["path"] == "":
        raise ValueError(path)
    if record["labels"]:
        return record
    return None


def starts(word, letter):
    return word.startswith(letter)


def by_helper(content):
    first = next(iter(labels(content)), None)
    if starts(first.description, "D"):
        return 1
    if starts("constant", "c"):
        return 2
    return 0


def by_walrus(content, database):
    if (top := labels(content)[0]).score > 0.5 and top.topicality > 0.1:
        return top
    if database.find_one({"name": top.description}):
        return None
    return top.description.strip().split(" ")[0] or "nothing"
