import os

import nonexistent_library as lib
from nonexistent_library.errors import ServiceError
from nonexistent_web import Bot, route
from shop import missing_name
from shop.parts import prices

TOKEN = os.environ["SHOP_TOKEN"]
CONFIG = open("no-such-file.json").read()
LIMIT = 1 / 0
for _line in CONFIG_LINES:  # noqa: F821
    LAST = _line
app = lib.App(__name__)


@route("/price")
def price(item):
    lib.log(item)
    return prices.of(item)


@app.command()
class Seller(Bot):
    rate = lib.Rate(3)

    def __init__(self, key, currency="EUR"):
        super().__init__(key)
        self.currency = currency

    def sell(self, item):
        self.send(item)
        return self.currency, prices.of(item)

    @staticmethod
    def plain(item):
        return item

    @classmethod
    def named(cls, item):
        return cls.__name__, item

    @property
    def size(self):
        return 7


class Reseller(Seller):
    pass


class Reader(prices.Reader):
    pass


class Stubborn:
    def __init__(self, path):
        self.table = {}[path]

    def ask(self, item):
        return self.table.get(item) is not None


def limit():
    return LIMIT + 1


def count(item):
    return 10 / int(lib.count(item))


def index(items):
    lib.log(items)
    return items[9]


def fails(item):
    try:
        raise KeyError(item)
    except ServiceError:
        return 0


def opens():
    return open("/no/such/file")


def token():
    return os.environ["OTHER_TOKEN"], os.environ.get("THIRD")


def outer(items):
    def inner(item):
        return item * 2

    return [inner(item) for item in items]


def settings():
    from flask import Flask

    config = Flask("shop").config
    return config["SHOP_API_KEY"], "SHELVES" in config, config["SHELVES"]
