"""Programs are read in the order of what they name."""

from analyzers.drivers.program_ranking import callers_of, flags_of, ranked, rare_words, weights_of
from tests.analyzers.properties.revisions import target

CODE = """
class Block:
    def forward(self, x):
        return x


class Stack:
    def __init__(self):
        self.block = Block()


class Model:
    def __init__(self):
        self.stack = nets.Stack()


def other(x):
    return x
"""


def test_callers_of_callers_are_found():
    assert callers_of(target("Block.forward"), CODE) == ["Stack", "Model"]
    assert callers_of(target("other"), CODE) == []


def test_callers_tell_more_than_a_name_that_other_files_have_too():
    used = [{"Block"}, {"Model"}, {"other"}]
    alone = weights_of(target("Block.forward"), CODE)
    shared = weights_of(target("Block.forward"), CODE, shared=True)
    assert ranked([alone], used, [0, 0, 0]) == [0, 1, 2]
    assert ranked([shared], used, [0, 0, 0])[0] == 1


def test_flags_that_lead_to_a_class_come_first():
    flag = "if use_block and not self.plain:\n            self.block = Block()"
    code = CODE.replace("self.block = Block()", f"pick = lambda: 1\n        {flag}")
    assert flags_of(target("Block.forward"), code) == ["use_block", "plain"]
    weights = weights_of(target("Block.forward"), code)
    assert ranked([weights], [{"Model", "Stack"}, {"Model", "use_block"}], [0, 0]) == [1, 0]


def test_words_that_most_programs_use_tell_nothing():
    used = [{"dim", "prefix"}, *[{"dim"}] * 40]
    assert rare_words({"dim", "prefix", "postfix"}, used) == {"prefix"}
