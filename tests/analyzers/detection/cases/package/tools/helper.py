from shop.services.vision import Reader


def first_word(path):
    with open(path, "rb") as file:
        return Reader().ask(file.read()).text_annotations[0].description
