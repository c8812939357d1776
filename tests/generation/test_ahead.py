"""Work ahead comes in order, goes only a few steps ahead, and fails where it is used."""

import pytest

from seqbench.generation.ahead import THREADS, ahead


@pytest.mark.parametrize("number", [0, 1, THREADS, 20])
def test_all_is_made_in_order(number):
    assert list(ahead(str, range(number))) == [(item, str(item)) for item in range(number)]


def test_no_more_than_a_few_are_begun():
    begun = []
    for used, (item, _) in enumerate(ahead(begun.append, range(50))):
        assert item == used
        assert len(begun) <= used + THREADS + 1


def test_an_error_comes_when_its_turn_does():
    made = ahead(lambda number: 6 // number, [3, 2, 0, 1])
    assert [next(made), next(made)] == [(3, 2), (2, 3)]
    with pytest.raises(ZeroDivisionError):
        next(made)


def test_a_reader_may_stop_early():
    begun = []
    made = ahead(begun.append, range(50))
    next(made)
    made.close()
    assert len(begun) <= THREADS + 1
