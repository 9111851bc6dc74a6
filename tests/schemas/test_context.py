"""The dial of depth: what follows from it, what wins over it, and what is no choice at all."""

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.context import FOLLOW_DEPTH, RunContext
from schemas.depth import DEPTHS, LEVELS, Depth
from schemas.profile import Profile


def followed(context: RunContext) -> tuple[int, int, int]:
    return context.max_plan_iterations, context.max_step_num, context.max_seconds


@pytest.mark.parametrize("depth", DEPTHS)
def test_plans_steps_and_seconds_follow_the_depth(depth: Depth) -> None:
    context, level = RunContext(depth=depth), LEVELS[depth]
    assert followed(context) == (level.plans, level.steps, level.seconds)
    assert context.deep_research == (depth != "quick")
    assert context.own_choices() == ({"depth"} if depth != "standard" else set())


@pytest.mark.parametrize("name", sorted(FOLLOW_DEPTH))
@pytest.mark.parametrize("depth", DEPTHS)
def test_a_setting_by_itself_wins_even_if_it_is_the_default(depth: Depth, name: str) -> None:
    default = RunContext.model_fields[name].default
    context = RunContext(depth=depth, **{name: default})
    assert getattr(context, name) == default
    again = RunContext(**context.model_dump(include=context.own_choices()))
    assert getattr(again, name) == default


@pytest.mark.parametrize("chosen", [{}, {"depth": "standard"}, {"depth": "deep"}, {"max_seconds": 60}])
def test_deep_research_off_is_quick(chosen: dict[str, Any]) -> None:
    context = RunContext(**chosen, deep_research=False)
    assert (context.depth, context.max_plan_iterations) == ("quick", 1)
    assert context.max_seconds == chosen.get("max_seconds", 180)
    assert context.own_choices() == {"depth"} | (chosen.keys() - {"depth"})


def test_a_form_that_sends_everything_chooses_only_the_depth() -> None:
    form = {name: field["default"] for name, field in RunContext.model_json_schema()["properties"].items()}
    for depth in DEPTHS:
        context = RunContext(**{**form, "depth": depth})
        assert followed(context) == followed(RunContext(depth=depth))
        assert context.own_choices() == RunContext(depth=depth).own_choices()


def test_the_profiles_depth_holds_unless_the_run_chooses_one() -> None:
    profile = Profile(name="Reef", depth="deep")
    assert followed(RunContext(profile=profile)) == followed(RunContext(depth="deep"))
    assert RunContext(profile=profile).own_choices() == {"profile"}
    other = RunContext(profile=profile, depth="standard")
    assert (other.depth, other.own_choices()) == ("standard", {"profile", "depth"})
    assert RunContext(profile=profile, deep_research=False).depth == "quick"


def test_it_survives_being_written_down() -> None:
    for context in (RunContext(depth="deep", max_seconds=900), RunContext(deep_research=False)):
        again = RunContext.model_validate_json(context.model_dump_json())
        assert (again, again.own_choices()) == (context, context.own_choices())


def test_a_run_that_was_written_down_before_there_was_a_depth_keeps_its_limits() -> None:
    before = {"deep_research": False, "max_plan_iterations": 3, "max_step_num": 3, "max_seconds": 900}
    assert (RunContext(**before).depth, followed(RunContext(**before))) == ("quick", (3, 3, 900))


@pytest.mark.parametrize("wrong", ["abyss", 3, "", None])
def test_an_unknown_level_is_refused_with_those_that_there_are(wrong: object) -> None:
    with pytest.raises(ValidationError, match="'quick', 'standard', 'deep' or 'exhaustive'"):
        RunContext(depth=wrong)


@pytest.mark.parametrize(
    ("after", "before"), [("2024", "2020"), ("2024-06", "2024-05-31"), ("2024-06-02", "2024-06-01")]
)
def test_days_between_which_there_are_none_are_refused(after: str, before: str) -> None:
    with pytest.raises(ValidationError, match="later than before"):
        RunContext(wishes={"after": after, "before": before})
    RunContext(wishes={"after": before, "before": after})
    RunContext(wishes={"after": after, "before": after[:4]})
