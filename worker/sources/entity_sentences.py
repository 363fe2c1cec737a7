"""Kinds of entities: what providers call them, values, and sentences around a value.

Values are Faker's.  No sentence has another proper name, date or number in it,
so that its value is the only entity that a person would underline.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzers.vocabulary import Input, InputKind, InputRequest, InputSupply, Origin

if TYPE_CHECKING:
    from faker import Faker

NAMED = (
    "Everybody was talking about {}.",
    "Have you ever heard of {}?",
    "She asked me what I knew about {}.",
    "He could not stop thinking about {}.",
    "They wrote a long article about {}.",
    "We would like to learn more about {}.",
    "I read something interesting about {}.",
    "Nobody there had ever mentioned {} before.",
    "What do you think of {}?",
    "The whole story begins with {}.",
    "My neighbour keeps asking about {}.",
    "There was a question about {} in the quiz.",
)
"""Sentences around any name at all."""
ENDINGS = (
    "",
    " It was a pleasant conversation.",
    " I do not remember why.",
    " That surprised all of us.",
    " We should come back to this.",
    " Somebody wrote it down.",
    " The others listened quietly.",
    " It took a while to explain.",
    " You may want to look it up.",
)
"""What may follow a sentence without naming anything."""
_PERSON = (
    "{} called and asked for help.",
    "The letter was signed by {}.",
    "I had lunch with {} and we laughed a lot.",
    "{} wrote the report that everybody liked.",
    "Please hand this over to {}.",
    "Our new colleague is {}.",
    "{} sings better than anybody else here.",
    "Nobody knew the answer but {}.",
)
_LOCATION = (
    "We are moving to {}.",
    "The weather in {} is lovely.",
    "They spent their holidays in {}.",
    "A train to {} leaves soon.",
    "She was born in {} and never left.",
    "The streets of {} were empty.",
    "Have you ever travelled to {}?",
    "People in {} are friendly.",
)
_ORGANIZATION = (
    "{} announced a new product.",
    "She has worked for {} ever since.",
    "The contract with {} was signed.",
    "He applied for a job at {}.",
    "{} is looking for engineers.",
    "Our biggest customer is {}.",
    "The shares of {} fell sharply.",
    "Everything was delivered by {}.",
)
_DATE = (
    "The meeting was moved to {}.",
    "Please send it back before {}.",
    "The shop opens on {}.",
    "They got married on {}.",
    "We expect the delivery on {}.",
    "The contract ends on {}.",
)
_MONEY = (
    "The ticket costs {}.",
    "They paid {} for the old table.",
    "The bill came to {}.",
    "He still owes me {}.",
    "Repairs would cost {}.",
    "She sold the bicycle for {}.",
)
_QUANTITY = (
    "The parcel weighs {}.",
    "You need {} of flour for the dough.",
    "They carried {} of sand.",
    "He bought {} of apples.",
    "We used {} of rice.",
    "The bag holds {} of coffee.",
)
_PHONE = (
    "You can call us at {}.",
    "My number is {}.",
    "Please dial {} and wait.",
    "She left {} as her number.",
    "For help call {}.",
    "The new number is {}.",
)
_EMAIL = (
    "Please write to {}.",
    "You can reach me at {}.",
    "Send the papers to {}.",
    "The answer came from {}.",
    "My address is {}.",
    "Questions go to {}.",
)
_URL = (
    "You can read more at {}.",
    "The pictures are on {}.",
    "Please visit {} for details.",
    "I found it on {}.",
    "The form is at {}.",
    "Have a look at {}.",
)
_ADDRESS = (
    "The parcel goes to {}.",
    "We are now at {}.",
    "The party takes place at {}.",
    "Please send the invoice to {}.",
    "They live at {}.",
    "The shop has moved to {}.",
)
_IP = (
    "The server answers at {}.",
    "Somebody tried to log in from {}.",
    "The printer has the address {}.",
    "All requests came from {}.",
    "Please block {} at once.",
    "The camera is found at {}.",
)
_EUROPE = ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT")
_AMERICA = ("en_US",)
_UNITS = ("kilograms", "pounds", "grams", "tons")
_COMPANY = re.compile(r".* (Inc|LLC|Ltd|PLC|Group)")
_WORD = re.compile(r"[^\W\d_]+")
_WORDS = re.compile(r"[A-Z][a-z]+( [A-Z][a-z]+){0,2}")
_TRIES = 1000


@dataclass(frozen=True, slots=True)
class EntityKind:
    """A kind of entity; ``types`` are its names at providers, folded by :func:`fold`."""

    types: frozenset[str]
    templates: tuple[str, ...]
    value: Callable[[Faker], str]
    locales: tuple[str, ...] = _AMERICA

    def some(self, turn: int, seed: int) -> str:
        """A value: the locales take turns, the same seed has the same value."""
        faker = _faker(self.locales[turn % len(self.locales)])
        faker.seed_instance(seed)
        return self.value(faker)


def fold(type_name: str) -> str:
    """A type without case and punctuation: ``PHONE_NUMBER`` is ``PhoneNumber``."""
    return re.sub(r"[^a-z]", "", type_name.casefold())


def kind_of(reading: str) -> EntityKind | None:
    """Return the kind that a reading is a provider's type of; ``None`` for a name."""
    folded = fold(reading)
    return next((kind for kind in KINDS if folded in kind.types), None)


@functools.cache
def _faker(locale: str) -> Faker:
    from faker import Faker  # noqa: PLC0415 - it reads many files

    return Faker(locale)


def _first(pattern: re.Pattern[str], value: Callable[[], str]) -> str:
    return next(found for _ in range(_TRIES) if pattern.fullmatch(found := str(value())))


def _person(faker: Faker) -> str:
    return f"{_first(_WORD, faker.first_name)} {_first(_WORD, faker.last_name)}"


def _place(faker: Faker) -> str:
    return _first(_WORDS, faker.random_element((faker.country, faker.state)))


def _company(faker: Faker) -> str:
    """A name that only a company has."""
    return _first(_COMPANY, faker.company)


def _quantity(faker: Faker) -> str:
    return f"{faker.random_int(2, 99)} {faker.random_element(_UNITS)}"


def _url(faker: Faker) -> str:
    return f"https://www.{faker.domain_name()}/{faker.word()}"


KINDS = (
    EntityKind(
        frozenset({"person", "per", "name", "people", "humanname"}), _PERSON, _person, _EUROPE
    ),
    EntityKind(frozenset({"location", "loc", "gpe", "place"}), _LOCATION, _place),
    EntityKind(
        frozenset({"organization", "organisation", "org", "company"}), _ORGANIZATION, _company
    ),
    EntityKind(frozenset({"date", "datetime"}), _DATE, lambda faker: faker.date("%B %d, %Y")),
    EntityKind(frozenset({"price", "money", "currency"}), _MONEY, lambda faker: faker.pricetag()),
    EntityKind(frozenset({"quantity"}), _QUANTITY, _quantity),
    EntityKind(
        frozenset({"phonenumber", "phone"}), _PHONE, lambda faker: faker.numerify("212-555-01##")
    ),
    EntityKind(
        frozenset({"email", "emailaddress"}), _EMAIL, lambda faker: faker.ascii_safe_email()
    ),
    EntityKind(frozenset({"url"}), _URL, _url),
    EntityKind(frozenset({"address"}), _ADDRESS, lambda faker: faker.street_address()),
    EntityKind(frozenset({"ip", "ipaddress"}), _IP, lambda faker: faker.ipv4_public()),
)
"""The kinds that a sentence can have one of without having another."""
_OTHER_TYPES = (
    "event work_of_art consumer_good commercial_item product title other misc unknown number age"
    " skill person_type branch ssn pin password username credit_debit_number bank_account_number"
)
TYPES_WITHOUT_VALUES = frozenset(map(fold, _OTHER_TYPES.split()))
"""Types of which there are no values that everybody would tell."""

MOST_IN_VAIN = 200
_ORIGIN = Origin("sentences", "https://github.com/joke2k/faker", None, "MIT")


def find(wanted: InputRequest, count: int, seed: int) -> InputSupply:
    """Return sentences with such an entity; a longer supply begins with a shorter one.

    A provider's entity type (``PERSON``, ``Location``) asks for any one, others for themselves.
    """
    reading = (wanted.reading or "").strip()
    if not any(character.isalnum() for character in reading):
        return InputSupply((), f"{reading!r} names nothing")
    if fold(reading) in TYPES_WITHOUT_VALUES:
        return InputSupply((), f"there are no values of the type {reading!r}")
    kind = kind_of(reading)
    chance = random.Random(f"{seed}/{reading}")  # noqa: S311
    sentences = _about(reading, chance) if kind is None else _having(kind, chance)
    found: dict[str, None] = {}
    in_vain = 0
    while len(found) < count and in_vain < MOST_IN_VAIN:
        sentence = next(sentences, None)
        if sentence is None:
            break
        in_vain = in_vain + 1 if sentence in found else 0
        found[sentence] = None
    texts = list(found)
    enough = len(texts) == count
    shortfall = None if enough else f"there are {len(texts)} sentences with {reading!r}"
    return InputSupply(tuple(_input(text, wanted.reading) for text in texts), shortfall)


def _about(name: str, chance: random.Random) -> Iterator[str]:
    templates, endings = list(NAMED), list(ENDINGS)
    chance.shuffle(templates)
    chance.shuffle(endings)
    for turn in range(len(endings)):
        for at, template in enumerate(templates):
            yield template.replace("{}", name) + endings[(at + turn) % len(endings)]


def _having(kind: EntityKind, chance: random.Random) -> Iterator[str]:
    templates = list(kind.templates)
    chance.shuffle(templates)
    turn = 0
    while True:
        for template in templates:
            yield template.replace("{}", kind.some(turn, chance.getrandbits(32)))
            turn += 1


def _input(text: str, reading: str | None) -> Input:
    return Input(InputKind.TEXT, text.encode(), text, reading, ".txt", _ORIGIN)
