"""The table of guided and unguided searches says what their runs say."""

import json
import math

import pytest
import torch

from analyzers.guest.models.executions.execution_registry import EXECUTIONS
from analyzers.guest.models.judging.error_measures import measured
from analyzers.guest.models.judging.execution_oracles import judge
from analyzers.guest.models.judging.isolated_runs import run_in_process
from benchmarks.models.amplification import interval, sign_test, table
from benchmarks.models.guided import RESULTS, normalised
from benchmarks.models.slight_faults import SLIGHT, built_from, faulty, slight


def run(model, seed, guided, doublings, rate):
    return {
        "model": model,
        "seed": seed,
        "guided": guided,
        "doublings": doublings,
        "rate": rate,
        "amplified": 0.5,
        "told": 1,
    }


def test_sign_test_is_that_of_a_fair_coin():
    assert sign_test([1.0] * 10) == pytest.approx(2**-10)
    assert sign_test([1.0] * 9 + [-1.0]) == pytest.approx(11 / 1024)
    assert sign_test([0.0, 1.0]) == pytest.approx(0.5)


def test_interval_lies_about_the_mean():
    low, high = interval([0.0, 1.0, 2.0, 3.0], draws=2000)
    assert 0.0 <= low < 1.5 < high <= 3.0
    assert interval([2.0, 2.0]) == (2.0, 2.0)


def test_models_count_by_their_mean_rate_and_by_their_interval():
    sure = [
        run("a", seed, guided, 1.0 * guided, 2.0 * guided)
        for seed in range(5)
        for guided in (True, False)
    ]
    open_ = [
        run("b", seed, guided, (seed - 2) * guided, 1.0 - guided)
        for seed in range(5)
        for guided in (True, False)
    ]
    lines = table([*sure, *open_, run("a", 9, True, 99.0, 99.0)]).splitlines()

    assert lines[2].startswith("| a | 5 | 2.00 | 0.00 | 50 % | 50 % | 5 | 5 | 5 of 5 | 0.031 |")
    assert lines[3].startswith("| b | 5 | 0.00 | 1.00 |")
    assert "higher guided in 1 of 2 models" in lines[-1]
    assert "above nothing in 1." in lines[-1]


def test_kept_runs_are_of_ten_seeds_of_every_model():
    rows = [json.loads(line) for line in (RESULTS / "guided-fault.jsonl").read_text().splitlines()]
    assert {row["model"]: 20 for row in rows} == {
        name: sum(row["model"] == name for row in rows) for name in {row["model"] for row in rows}
    }
    assert len({row["model"] for row in rows}) == 10
    assert all(math.isfinite(row["rate"]) for row in rows)


def test_slight_faults_move_a_model_and_are_not_told():
    model, own = normalised("lenet"), EXECUTIONS["onednn-off"]
    found = slight(model)

    assert len(found) >= 3
    for fault in found:
        with faulty(fault) as name:
            outcomes = run_in_process(model, [name])
        assert SLIGHT / 2 < measured(outcomes)[name].ratio < SLIGHT * 2
        assert judge(model, outcomes) == []
    assert EXECUTIONS["onednn-off"] is own


def test_normalisation_knows_what_it_is_fed():
    norm = torch.nn.BatchNorm1d(3)
    model = built_from(lambda: torch.nn.Sequential(norm), (torch.zeros(2, 3),))

    assert not model.module.training
    assert norm.momentum == 0.1
    assert norm.running_mean.abs().max() > 0
