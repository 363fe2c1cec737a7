"""Labels of pictures by Amazon and Azure, with their own protocols on the loopback."""

import pytest

from tests.end_to_end.clouds import AMAZON, AZURE, KEY, SECRET, Clouds
from tests.end_to_end.commandline import home
from tests.end_to_end.conftest import Desk
from tests.end_to_end.repositories import repository

# two more providers; the everyday test of the main job asks the first
pytestmark = pytest.mark.slow

BRANCH = ("--base", "main", "--head", "planted")


@pytest.fixture(scope="module")
def clouds():
    server = Clouds()
    yield server
    server.close()


@pytest.fixture(scope="module")
def project(tmp_path_factory, clouds):
    folder = tmp_path_factory.mktemp("clouds")
    return Desk(repository(folder / "watch", "clouds"), home(folder, **clouds.variables()), folder)


@pytest.fixture(scope="module")
def checked(project):
    return project.check("first", *BRANCH, "--other-providers")


@pytest.mark.parametrize(("line", "label"), [(9, "Flame"), (16, "flame")], ids=["AWS", "Azure"])
def test_planted_label_defect_is_found_with_its_repair(checked, line, label):
    finding = checked.about("watch.py", line)
    assert (finding["rule"], finding["level"]) == ("cloud/low-recall", "failure")
    assert (finding["evidence"]["inputs"], finding["evidence"]["reached"]) == (10, 4)
    assert finding["evidence"]["added_labels"] == [label]
    assert finding["suggestion"]["verified"] is True


@pytest.mark.parametrize(
    ("line", "other"), [(9, "azure.vision.analyze"), (16, "aws.rekognition.detect_labels")]
)
def test_other_provider_is_asked_about_the_same_pictures(checked, line, other):
    finding = checked.about("watch.py", line)
    told = finding["evidence"]["other_providers"]
    assert list(told) == [other]
    assert (told[other]["inputs"], told[other]["reached"]) == (10, 4)
    assert f"With the answers of `{other}` to the same inputs, 4 of 10" in finding["message"]


def test_nothing_else_is_found(checked):
    assert len(checked.findings) == 2
    assert (checked.status, checked.report["broken"]) == (1, [])


def test_services_found_nothing_wrong_with_the_questions(checked, clouds):
    assert clouds.refused == []
    assert {f"POST {AMAZON}", f"POST {AZURE}"} <= set(clouds.asked)


def test_questions_are_paid_by_list_price(checked, clouds):
    amazon, azure = (clouds.asked.count(f"POST {path}") for path in (AMAZON, AZURE))
    assert checked.report["cost"]["api_calls"] == amazon + azure
    assert checked.report["cost"]["dollars"] == pytest.approx(0.001 * amazon + 0.0015 * azure)


def test_secrets_are_nowhere_in_the_report(checked):
    texts = [path for path in checked.folder.rglob("*") if path.suffix in {".json", ".py"}]
    said = checked.ended.said + "".join(path.read_text(encoding="utf-8") for path in texts)
    assert KEY not in said
    assert SECRET not in said
