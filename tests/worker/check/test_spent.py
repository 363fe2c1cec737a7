"""What a campaign counts."""

from analyzers.vocabulary import AssembledRun, ExecutionResult
from worker.check.fuzz_campaign import CampaignCounts

CONV, RELU, LOSS = "torch.nn.Conv2d", "torch.nn.functional.relu", "torch.nn.CrossEntropyLoss"


def test_files_that_ran_or_came_to_their_model_reach_apis():
    spent = CampaignCounts()
    reached = spent.assembled(
        [
            AssembledRun("ran", apis=(CONV,)),
            AssembledRun("raised", "backward", "RuntimeError", apis=(RELU,)),
            AssembledRun("raised", "build", "ValueError", apis=(LOSS,)),
            AssembledRun("not-run", apis=(LOSS,)),
        ]
    )
    assert reached == {CONV, RELU}
    assert (spent.files, spent.apis) == (3, {CONV, RELU})


def test_mutants_are_told_as_they_are_made():
    told = []
    spent = CampaignCounts(lambda each: told.append(str(each)))
    spent.executed(ExecutionResult(mutants=1200, executions=4000, apis=(CONV,)))
    spent.executed(ExecutionResult(mutants=1, executions=2, apis=(CONV, RELU)))
    assert told == [
        "0 files assembled, 1,200 mutants in 4,000 executions, 1 library APIs reached",
        "0 files assembled, 1,201 mutants in 4,002 executions, 2 library APIs reached",
    ]
