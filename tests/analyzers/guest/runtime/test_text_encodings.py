"""Encodings of tiktoken are made without fetching their words."""

from types import ModuleType
from typing import Any

from analyzers.guest.runtime.import_hooks import patch_tiktoken


def test_encoding_has_a_word_for_each_byte():
    def fetched(url, expected_hash=None):
        raise ConnectionError(url)

    module: Any = ModuleType("tiktoken.load")
    module.load_tiktoken_bpe = fetched
    patch_tiktoken(module)
    ranks = module.load_tiktoken_bpe("https://example.org/o200k_base.tiktoken", expected_hash="0")
    assert sorted(ranks.values()) == list(range(256))
    assert all(len(word) == 1 for word in ranks)
