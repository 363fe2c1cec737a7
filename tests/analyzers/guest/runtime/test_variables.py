import pytest

from analyzers.guest.runtime import assumptions


@pytest.mark.parametrize(
    "name",
    ["OPENAI_API_KEY", "BOT_TOKEN", "VISION_ENDPOINT", "AWS_REGION", "PREFIX", "CHAT_MODEL_NAME"],
)
def test_variables_of_a_machine_are_made_up(name: str) -> None:
    assert assumptions.is_needed(name)


@pytest.mark.parametrize("name", ["DEBUG", "USE_MOCK", "VERBOSE", "DRY_RUN", "MODEL_CACHE"])
def test_flags_stay_unset(name: str) -> None:
    assert not assumptions.is_needed(name)


def test_made_up_variable_fits_its_name() -> None:
    assert assumptions.variable("AWS_REGION") == "us-east-1"
    assert assumptions.variable("BASE_URL").startswith("https://")
