import json
from dataclasses import replace

import pytest

from analyzers.vocabulary import Turns
from tests.worker.report import samples
from worker.errors import UsageError
from worker.report.artifacts import file_name, write_artifacts
from worker.report.replay_file import read_replay

FINDINGS = [
    samples.crash(),
    samples.low_recall(),
    samples.mixed_sentiment(),
    samples.dead_branch(),
    samples.changed(),
    samples.changed(
        criterion=Turns(("None by 1",) * 2, ("None by no branch",) * 2, (samples.FIRE,))
    ),
]


def written(tmp_path, finding):
    artifacts = write_artifacts(samples.report(finding), tmp_path, samples.SOURCES)
    files = artifacts.of(finding)
    assert files is not None
    return files


def test_equal_inputs_are_written_once(tmp_path):
    finding = samples.low_recall()
    doubled = replace(finding, probes=finding.probes * 2)
    files = written(tmp_path, doubled)
    folder = tmp_path / "inputs" / finding.fingerprint
    assert len(list(folder.iterdir())) == len(files.inputs) == 10


def test_names_say_what_is_inside():
    assert file_name(samples.image("Total 12"), 3) == "03-total-12-on-white.png"


@pytest.mark.parametrize("suffix", ["/../../x.sh", "", ".tar.gz", "." + "a" * 9])
def test_odd_suffixes_are_dropped(suffix):
    item = replace(samples.image("a"), suffix=suffix)
    assert file_name(item, 1) == "01-a-on-white.bin"


@pytest.mark.parametrize("finding", FINDINGS, ids=lambda f: f.rule)
def test_replay_holds_the_whole_finding(tmp_path, finding):
    assert read_replay(written(tmp_path, finding).replay) == replace(finding, suggestion=None)


def test_program_of_the_finding_becomes_its_test(tmp_path):
    files = written(tmp_path, samples.crash(reproducer="assert False\n"))
    assert "    assert False\n" in files.reproducer.read_text()


def test_without_sources_no_condition_is_watched(tmp_path):
    report = samples.report(samples.low_recall(), samples.crash())
    artifacts = write_artifacts(report, tmp_path)
    assert artifacts.of(report.findings[0]).reproducer is None
    assert artifacts.of(report.findings[1]).reproducer is not None


def edited(path, change):
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(extra=1), "extra"),
        (lambda d: d.pop("criterion"), "criterion"),
        (lambda d: d["inputs"][0].update(file="../../../etc/passwd"), "outside"),
        (lambda d: d["inputs"][0].update(file="replay"), "cannot be read"),
        (lambda d: d["inputs"].clear(), "not listed"),
        (lambda d: d.update(rule="cloud/other"), "fingerprint"),
        (lambda d: d["criterion"].update(kind="proves"), "proves"),
    ],
)
def test_edited_replays_are_refused(tmp_path, change, said):
    path = edited(written(tmp_path, samples.crash()).replay, change)
    with pytest.raises(UsageError, match=said):
        read_replay(path)


def test_changed_inputs_are_refused(tmp_path):
    files = written(tmp_path, samples.crash())
    next(iter(files.inputs.values())).write_bytes(b"other")
    with pytest.raises(UsageError, match="has changed"):
        read_replay(files.replay)
