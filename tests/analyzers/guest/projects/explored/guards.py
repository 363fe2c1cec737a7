"""Code that a library guards, to be explored."""

from typing import Annotated

from pydantic import BaseModel, Field, validate_call


class Settings(BaseModel):
    rate: float = Field(gt=0, le=1)
    steps: int = 3


def scheduled(settings):
    return [settings.rate] * settings.steps


def settings_of(rate):
    return Settings(rate=rate).rate


@validate_call
def guarded(count: Annotated[int, Field(ge=3)]):
    return [0, 1, 2, 3, 4][count]


class Shelf:
    @classmethod
    @validate_call
    def place(cls, count: Annotated[int, Field(ge=3)]):
        return [0, 1, 2, 3, 4][count]

    @validate_call
    def spot(self, count: Annotated[int, Field(ge=3)]):
        return [0, 1, 2, 3, 4][count]
