"""Plans in any shape: what can be carried out is numbered and kept whole, what cannot is refused with the reason."""

from hypothesis import given
from hypothesis import strategies as st

from schemas.planner import Plan, PlanError, Step, first_steps, known_tools, settle_plan

NAMES = ["1", "2", "3", "a", "", "一", "b"]
QUERIES = ["", " ", "deep", "deep ", "wide", "wire", "tallow", "rope", "lead", "cast"]


def step(name: st.SearchStrategy[str], needs: st.SearchStrategy[str]) -> st.SearchStrategy[Step]:
    """Give steps of these names that wait for these."""
    return st.builds(
        Step,
        id=name,
        title=st.text(max_size=5),
        description=st.just(""),
        step_type=st.sampled_from(["research", "processing"]),
        queries=st.one_of(st.lists(st.sampled_from(QUERIES), max_size=9), st.just(QUERIES)),
        depends_on=st.lists(needs, max_size=4),
        tools=st.lists(st.sampled_from(["Pump", "PUMP", "nothing"]), max_size=3),
    )


@st.composite
def nearly_right(draw: st.DrawFn) -> list[Step]:
    """Give steps whose names differ, none of which waits for itself in the end; of some plans, one waits for any other."""
    names = draw(st.lists(st.sampled_from(NAMES), max_size=7, unique=True))
    steps = [draw(step(st.just(name), st.sampled_from([*names[:place], "old"]))) for place, name in enumerate(names)]
    later = draw(st.lists(st.tuples(st.sampled_from(steps), st.sampled_from(names)), max_size=1)) if steps else []
    for one, needs in later:
        one.depends_on.append(needs)
    return draw(st.permutations(steps))


ANY = st.lists(step(st.sampled_from(NAMES), st.sampled_from(["1", "2", "3", "a", "9", "old"])), max_size=7)
PLANS = st.builds(Plan, title=st.just("t"), has_enough_context=st.booleans(), steps=st.one_of(ANY, nearly_right()))


def circular(plan: Plan) -> bool:
    """Tell by following every path whether steps wait for each other."""
    needs = {
        step.id: [one for one in step.depends_on if one in {other.id for other in plan.steps}] for step in plan.steps
    }

    def comes_back(start: str, place: str, seen: frozenset[str]) -> bool:
        return any(one == start or (one not in seen and comes_back(start, one, seen | {one})) for one in needs[place])

    return any(comes_back(one, one, frozenset()) for one in needs)


@given(PLANS, st.integers(1, 9), st.one_of(st.none(), st.integers(1, 7)))
def test_a_plan_is_refused_exactly_for_what_cannot_be_carried_out(plan: Plan, first: int, most: int | None) -> None:
    ids = [step.id for step in plan.steps]
    wrong = (
        (not plan.steps and not plan.has_enough_context)
        or (most is not None and len(plan.steps) > most)
        or len(set(ids)) < len(ids)
        or any(one not in {*ids, "old"} for step in plan.steps for one in step.depends_on)
        or circular(plan)
    )
    try:
        settled = settle_plan(plan, first_id=first, finished={"old"}, max_steps=most)
    except PlanError:
        assert wrong
        return
    assert not wrong
    assert [step.id for step in settled.steps] == [str(first + place) for place in range(len(ids))]
    known = {step.id for step in settled.steps} | {"old"}
    for step in settled.steps:
        assert set(step.depends_on) <= known
        assert len(set(step.depends_on)) == len(step.depends_on)
        assert len(step.queries) <= 5
        assert bool(step.queries) == (step.step_type == "research")
    assert not (settled.has_enough_context and settled.steps)


@given(PLANS, st.integers(1, 5))
def test_a_plan_that_is_cut_can_still_be_carried_out(plan: Plan, count: int) -> None:
    try:
        settled = settle_plan(plan, first_id=1, finished={"old"}, max_steps=None)
    except PlanError:
        return
    cut = known_tools(first_steps(settled, count), ["Pump"])
    assert len(cut.steps) <= count
    again = settle_plan(cut, first_id=1, finished={"old"}, max_steps=count)
    assert again == cut
    assert all(step.tools in ([], ["Pump"]) for step in cut.steps)
