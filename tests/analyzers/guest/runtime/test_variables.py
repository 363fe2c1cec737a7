import pytest

from analyzers.guest.runtime import assumptions, call_outcomes, standins


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


def test_key_that_an_application_of_ours_lacks_is_our_doing(tmp_path) -> None:
    path = tmp_path / "app.py"
    path.write_text("def f(look):\n    return look('A_KEY')\n")
    namespace = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    for look, ours in ((standins.lack, True), ({}.__getitem__, False)):
        with pytest.raises(KeyError) as caught:
            namespace["f"](look)
        assert call_outcomes.raised(caught.value, str(tmp_path))["standin"] is ours
