from batching import encode, to_batch


def test_letters():
    assert encode("ab") == [33, 34]


def test_one_sentence():
    assert to_batch([[3, 4]]).tolist() == [[3, 4]]
