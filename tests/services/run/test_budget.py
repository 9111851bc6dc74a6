"""The budget under any interleaving of calls: what is spent and held together never exceeds what was granted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from schemas.context import RunContext
from schemas.usage import Allowance, CallUsage, Usage
from services.run.budget import REPORT_SHARE, Budget, Reservation, allowance_of, shares
from services.run.errors import LimitReached

TOKENS, COST, SEARCHES, PAGES = 5_000, 0.02, 7, 5
PRICE = (2e-6, 8e-6)
"""Dollars a token, in and out: calls that write much run out of money first, those that read much out of tokens."""


class Interleaved(RuleBasedStateMachine):
    """Calls that begin and end in any order; each uses at most what was held for it."""

    held = Bundle("held")

    def __init__(self) -> None:
        super().__init__()
        self.budget = Budget(Allowance(tokens=TOKENS, cost=COST, searches=SEARCHES, pages=PAGES))
        self.open: list[Reservation] = []
        self.tokens = self.searches = self.pages = 0
        self.cost = 0.0

    @rule(target=held, reading=st.integers(0, 2_000), writing=st.integers(1, 3_000), least=st.integers(1, 800))
    def reserve(self, reading: int, writing: int, least: int) -> Reservation | None:
        try:
            reservation = self.budget.reserve(reading, writing, PRICE, min_output=least)
        except LimitReached:
            return None
        assert min(least, writing) <= reservation.output_tokens <= writing
        self.open.append(reservation)
        return reservation

    @rule(reservation=consumes(held), read=st.floats(0, 1), wrote=st.floats(0, 1))
    def settle(self, reservation: Reservation | None, read: float, wrote: float) -> None:
        if reservation is None:
            return
        used = int(reservation.input_tokens * read), int(reservation.output_tokens * wrote)
        cost = used[0] * PRICE[0] + used[1] * PRICE[1]
        self.budget.settle(reservation, sum(used), cost)
        self.open.remove(reservation)
        self.tokens += sum(used)
        self.cost += cost

    @rule(wanted=st.integers(0, 5))
    def search(self, wanted: int) -> None:
        try:
            self.searches += self.budget.take_searches(wanted)
        except LimitReached:
            assert self.searches == SEARCHES

    @rule(wanted=st.integers(0, 5))
    def read_pages(self, wanted: int) -> None:
        self.pages += self.budget.take_pages(wanted)

    @invariant()
    def holds(self) -> None:
        most = self.tokens + sum(reservation.input_tokens + reservation.output_tokens for reservation in self.open)
        assert most <= TOKENS
        assert self.budget.room() == TOKENS - most
        assert self.cost + sum(reservation.cost for reservation in self.open) <= COST * (1 + 1e-9)
        assert self.budget._cost == pytest.approx(self.cost + sum(reservation.cost for reservation in self.open))
        assert self.searches <= SEARCHES
        assert self.pages <= PAGES


TestInterleaved = Interleaved.TestCase


@given(
    whole=st.builds(
        Allowance,
        tokens=st.one_of(st.none(), st.integers(-100, 50_000)),
        cost=st.one_of(st.none(), st.floats(0, 10)),
        searches=st.one_of(st.none(), st.integers(0, 50)),
        pages=st.one_of(st.none(), st.integers(0, 50)),
    ),
    steps=st.integers(1, 20),
)
def test_shares_of_steps_side_by_side_add_up_to_no_more_than_the_whole(whole: Allowance, steps: int) -> None:
    parts = shares(whole, steps)
    assert 1 <= len(parts) <= steps
    for name in ("tokens", "searches", "pages"):
        given_out, there = [getattr(part, name) for part in parts], getattr(whole, name)
        assert (there is None and set(given_out) == {None}) or sum(given_out) <= max(there, 0) or there < 0
    if whole.cost is not None:
        assert sum(part.cost or 0 for part in parts) <= whole.cost * (1 + 1e-9)


@given(st.integers(500, 100_000), st.integers(0, 100_000), st.integers(5, 900), st.integers(0, 1_000))
def test_research_leaves_the_report_its_share(most: int, spent: int, seconds: int, passed: int) -> None:
    context = RunContext(max_tokens=most, max_seconds=seconds)
    usage = Usage(total=CallUsage(input_tokens=spent), seconds=passed)
    research, report = allowance_of(context, usage), allowance_of(context, usage, report=True)
    assert research.tokens is not None
    assert report.tokens == most - spent
    assert report.tokens - research.tokens >= int(most * REPORT_SHARE)
    assert report.seconds >= research.seconds > 0


@pytest.mark.parametrize(
    ("allowed", "key"), [(Allowance(tokens=5_000), "token_limit"), (Allowance(cost=0.014), "cost_limit")]
)
def test_a_prompt_gets_what_tokens_and_money_leave_beside_its_answer(allowed: Allowance, key: str) -> None:
    budget = Budget(allowed)
    assert budget.affordable(1_000, 500, PRICE) == (1_000, None)
    room, limit = budget.affordable(9_000, 500, PRICE)
    assert limit is not None
    assert limit.key == key
    held = budget.reserve(room - 1, 2_000, PRICE, min_output=500)
    assert held.output_tokens in {500, 501}


def test_fewer_steps_are_sent_where_the_money_does_not_pay_for_all() -> None:
    assert len(shares(Allowance(cost=0.01), 3, 2e-6)) == 2
    assert len(shares(Allowance(cost=0.001), 3, 2e-6)) == 1
    assert len(shares(Allowance(cost=0.001), 3)) == 3, "nothing has been paid for yet"
