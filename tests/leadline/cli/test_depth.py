"""The depth on the command line: chosen by its option, carried to the run, followed up, and told before the start."""

import asyncio
import json
from pathlib import Path

from leadline.runs.actions import aruns
from schemas.context import RunContext
from schemas.depth import LEVELS
from tests.leadline.conftest import Leadline

QUESTION = "Where was the designer of the wire sounding machine born?"


def latest() -> RunContext:
    return asyncio.run(aruns())[0].context


def test_the_level_reaches_the_run_and_a_limit_by_itself_wins(leadline: Leadline, docs: Path) -> None:
    ran = leadline("research", QUESTION, "--docs", docs, "--depth", "deep", "--max-plans", "1", code=0)
    level = LEVELS["deep"]
    assert (latest().max_plan_iterations, latest().max_step_num) == (1, level.steps)
    assert "· Depth deep: seconds, free of charge; without a model the report shows the closest passages." in ran.err
    assert "  deep  " in leadline("runs", "show", "--calls").out.splitlines()[0]


def test_a_depth_that_is_no_more_than_usual_is_not_announced(leadline: Leadline, docs: Path) -> None:
    assert "Depth" not in leadline("research", QUESTION, "--docs", docs).err


def test_quick_by_either_name(leadline: Leadline, docs: Path) -> None:
    for option in (["--quick"], ["--depth", "quick"], ["--quick", "--depth", "deep"]):
        ran = leadline("research", QUESTION, "--docs", docs, *option, code=0)
        assert "research plan" not in ran.err
        assert latest().depth == "quick"


def test_a_follow_up_keeps_the_depth_unless_it_names_another(leadline: Leadline, docs: Path) -> None:
    leadline("research", QUESTION, "--docs", docs, "--quick")
    leadline("follow", "What took the place of hemp rope?")
    assert latest().depth == "quick"
    leadline("follow", "Why was tallow pressed into the lead?", "--depth", "standard")
    assert (latest().depth, latest().deep_research) == ("standard", True)


def test_events_have_the_estimate_in_numbers(leadline: Leadline, docs: Path) -> None:
    ran = leadline("research", QUESTION, "--docs", docs, "--json", "--events")
    [told] = [one for one in map(json.loads, ran.err.splitlines()) if one["type"] == "estimate"]
    assert (told["data"]["depth"], told["data"]["sources"], told["data"]["told"]) == ("standard", 25, False)
