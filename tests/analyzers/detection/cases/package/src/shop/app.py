from shop.services import Reader
import shop.rules as rules


def upload(request):
    reader = Reader()
    if request.method != "POST":
        return 405
    if not reader.accept(request.data):
        return 422
    if len(reader.words) > 100:
        return 413
    return 200


def lonely(text):
    return rules.unrelated(len(text))
