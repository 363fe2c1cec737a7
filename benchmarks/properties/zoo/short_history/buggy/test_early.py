from early import should_stop


def test_goes_on_while_it_gets_better():
    assert not should_stop([0.9, 0.8, 0.7, 0.6, 0.5])


def test_stops():
    assert should_stop([0.5, 0.6, 0.7, 0.8])
