"""Rolls are a pure function of (seed, position), the same on every machine, and even."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.engine.dice import Dice, mixed_seed

SEEDS = st.integers(-(2**63), 2**63 - 1)


@examples(100)
@given(seed=SEEDS, positions=st.lists(st.integers(0, 10**6), min_size=1, max_size=20))
def test_a_roll_depends_on_seed_and_position_alone(seed: int, positions: list[int]) -> None:
    used = Dice(seed)

    for position in positions:
        roll = used.roll(position)
        assert roll == Dice(seed).roll(position)
        assert 0 <= roll < 1


def test_rolls_are_the_same_on_every_machine() -> None:
    assert [Dice(7).roll(position) for position in (0, 1, 63, 64, 10**6)] == [
        0.08968040614891948,
        0.913059830204105,
        0.24214755748677053,
        0.5621643001667935,
        0.19616171557422257,
    ]


def test_rolls_are_even() -> None:
    dice = Dice(1)

    tenths = Counter(int(10 * dice.roll(position)) for position in range(20_000))

    assert sorted(tenths) == list(range(10))
    assert all(abs(count - 2000) < 200 for count in tenths.values())


def test_seeds_and_positions_give_other_rolls() -> None:
    assert len({Dice(seed).roll(5) for seed in range(-50, 50)}) == 100
    assert len({Dice(3).roll(position) for position in range(200)}) == 200


def test_choice_0_has_the_seed_itself_and_each_other_choice_one_of_its_own() -> None:
    seeds = [mixed_seed(42, choice) for choice in range(128)]

    assert seeds[0] == 42
    assert len(set(seeds)) == 128
    assert seeds == [mixed_seed(42, choice) for choice in range(128)]
    assert not {*seeds} & {mixed_seed(43, choice) for choice in range(128)}
