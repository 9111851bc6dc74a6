"""What a change of a report asks for and the evidence does not hold is searched once; a message after a report changes it, too."""

import json
from pathlib import Path

import pytest

from services.run.settings import forget_settings
from tests.fakes.openai_server import OpenAIServer, role_of
from tests.leadline.conftest import Leadline, Ran

QUESTION = "What closed the northern pier, and for how long?"
STORMS = "Storms closed the northern pier for some weeks of the winter."
COST = "The repair of the northern pier cost 40,000 crowns in the spring of 1922."
BODY = f"# The northern pier\n\n## What happened\n\n{STORMS} [B0-1]"


@pytest.fixture
def run(leadline: Leadline, endpoint: OpenAIServer) -> str:
    """A finished run, whose folder has had another document since."""
    place = Path("papers")
    place.mkdir()
    (place / "pier.md").write_text(f"# The pier\n\n{STORMS}\n")
    endpoint.script["reporter"] = [BODY]
    ran = leadline("research", QUESTION, "--docs", place, "--quick", "--out", "out", "--json")
    assert ran.code == 0, ran.err
    (place / "costs.md").write_text(f"# What the repair cost\n\n{COST}\n")
    return str(json.loads(ran.out)["run_id"])


def without_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name)
    forget_settings()


def roles(endpoint: OpenAIServer) -> list[str]:
    return [role_of(body) for body in endpoint.requests]


def revised(ran: Ran, run: str) -> str:
    """Make sure that a change has made the run's second version, and return its own text."""
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err
    return ran.out.partition("## Limits")[0].partition("## References")[0]


def test_what_a_request_plainly_wants_added_is_searched_before_it_is_written(
    leadline: Leadline, endpoint: OpenAIServer, run: str
) -> None:
    endpoint.script["reporter_revising"] = [f"{BODY}\n\n## The costs of the repair\n\n{COST} [E1-1]"]
    ran = leadline("revise", run, "Add a section on the costs of the repair")
    assert "40,000 crowns" in revised(ran, run)
    assert "Searched for this change: costs of the repair (quotes: 1, sources: 1)" in ran.out
    assert roles(endpoint).count("reporter_revising") == 1
    [asked] = [body for body in endpoint.requests if role_of(body) == "reporter_revising"]
    assert "E1-1 were searched for this request" in asked["messages"][0]["content"]
    assert leadline("verify", run, "--version", "2").code == 0
    assert leadline("verify", run, "--version", "1").code == 0
    calls = len(endpoint.requests)
    assert leadline("runs", "replay", run).out == ran.out
    assert len(endpoint.requests) == calls
    endpoint.script["reporter_revising"] = [f"# Costs\n\n{COST} [E1-1]"]
    third = leadline("revise", run, "Only the costs")
    assert "40,000 crowns" in revised(third, run)
    assert "Searched for this change" not in third.out
    assert leadline("runs", "replay", run).out == third.out


def test_what_the_model_says_it_lacks_is_searched_once_and_then_written(
    leadline: Leadline, endpoint: OpenAIServer, run: str
) -> None:
    lacking = f"{BODY}\n\n===\n- The cost of the repair\n"
    endpoint.script["reporter_revising"] = [lacking, f"{BODY}\n\n{COST} [E1-1]"]
    ran = leadline("revise", run, "Tell the treasurer what she needs, too")
    assert "40,000 crowns" in revised(ran, run)
    assert "evidence does not hold" not in ran.out
    assert leadline("runs", "replay", run).out == ran.out


def test_what_is_not_found_is_said_and_not_invented(leadline: Leadline, endpoint: OpenAIServer, run: str) -> None:
    saffron = f"{BODY}\n\nSaffron cost 300 rials [B0-1].\n\n===\n- The price of saffron\n"
    endpoint.script["reporter_revising"] = [saffron]
    ran = leadline("revise", run, "Add a section on the price of saffron in Isfahan")
    assert ran.code == 0
    limits = ran.out.partition("## Limits")[2]
    assert "searched for and not found, so it is not in the report: The price of saffron." in limits
    assert leadline("runs", "replay", run).out == ran.out


def test_what_the_evidence_holds_is_never_said_to_be_missing(
    leadline: Leadline, endpoint: OpenAIServer, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.script["reporter_revising"] = [f"{BODY}\n\n===\n- The storms of the winter\n"]
    ran = leadline("revise", run, "Add a section on the weeks of the winter")
    assert ran.code == 0, ran.err
    assert "not in the report" not in ran.out
    without_model(monkeypatch)
    ran = leadline("revise", run, "Add a section on the storms of the winter")
    assert "## Storms of the winter\n\nStorms closed" in ran.out
    assert "not in the report" not in ran.out


def test_a_change_is_searched_with_the_whole_question(leadline: Leadline, endpoint: OpenAIServer, run: str) -> None:
    endpoint.script["reporter_revising"] = [f"{BODY}\n\n## The costs of the repair\n\n{COST} [E1-1]"]
    leadline("revise", run, "Add a section on the costs of the repair")
    [asked] = [body for body in endpoint.requests if role_of(body) == "researcher"][-1:]
    assert asked["messages"][-1]["content"].count(QUESTION) > 1  # as the question, and in a query


def test_a_model_that_leaves_a_section_empty_leaves_no_heading(
    leadline: Leadline, endpoint: OpenAIServer, run: str
) -> None:
    endpoint.script["reporter_revising"] = [f"{BODY}\n\n## Evidence\n"]
    ran = leadline("revise", run, "Shorter")
    assert ran.code == 0, ran.err
    assert "## What happened" in ran.out
    assert "## Evidence" not in ran.out


def test_a_request_for_a_change_is_no_part_of_the_next_question(
    leadline: Leadline, endpoint: OpenAIServer, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.script["reporter_revising"] = [f"# Shorter\n\n{STORMS} [B0-1]"] * 2
    assert leadline("revise", run, "Keep it brief").code == 0
    assert leadline("follow", run, "Make it shorter").code == 0
    endpoint.script["reporter"] = [f"{STORMS} [B0-1]"]
    assert leadline("follow", run, "And its cost?").code == 0
    [asked] = [body for body in endpoint.requests if role_of(body) == "coordinator"][-1:]
    shown = asked["messages"][-1]["content"]
    assert "What closed the northern pier" in shown
    assert "shorter" not in shown
    assert "brief" not in shown


def test_without_a_model_a_short_question_after_a_change_is_completed_from_the_question_before_it(
    leadline: Leadline, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_model(monkeypatch)
    refused = leadline("follow", run, "Make it friendlier")
    assert refused.code == 2 or "friendlier" not in refused.out
    assert leadline("revise", run, "Shorter").code == 0
    assert leadline("follow", run, "Make it shorter").code == 0
    ran = leadline("follow", run, "What cost?", "--json")
    assert ran.code == 0, ran.err
    question = json.loads(ran.out)["question"]
    assert "northern pier" in question
    assert "horter" not in question


def test_without_research_nothing_is_searched(leadline: Leadline, endpoint: OpenAIServer, run: str) -> None:
    endpoint.script["reporter_revising"] = [f"{BODY}\n\n===\n- What the repair cost\n"]
    searches = roles(endpoint).count("researcher")
    ran = leadline("revise", run, "Add a section on the costs of the repair", "--no-research")
    assert "evidence does not hold, so it is not in the report: What the repair cost" in ran.out
    assert roles(endpoint).count("researcher") == searches
    assert "Searched for this change" not in ran.out


def test_without_a_model_a_section_of_quotes_is_added(
    leadline: Leadline, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_model(monkeypatch)
    ran = leadline("revise", run, "Add a section on the costs of the repair")
    text = revised(ran, run)
    assert "## Costs of the repair\n" in text
    assert "40,000 crowns" in text
    assert "Storms closed" in text
    assert leadline("verify", run, "--version", "2").code == 0
    assert leadline("runs", "replay", run).out == ran.out
    none = leadline("revise", run, "Add a section on the price of saffron")
    assert none.code == 0
    assert "not found, so it is not in the report: price of saffron" in none.out
    assert leadline("revise", run, "Add a section on tar", "--no-research").code == 2


def test_a_plain_message_after_a_report_makes_a_version_of_it(
    leadline: Leadline, endpoint: OpenAIServer, run: str
) -> None:
    endpoint.script["reporter_revising"] = [f"# In short\n\n{STORMS} [B0-1]"]
    asked = roles(endpoint).count("coordinator")
    ran = leadline("follow", "Make it shorter")
    assert ran.code == 0, ran.err
    assert roles(endpoint).count("coordinator") == asked
    assert leadline("runs", "show", run, "--version", "2").out == ran.out
    assert len(json.loads(leadline("runs", "--json").out)) == 1
    refused = leadline("follow", "Make it even shorter", "--depth", "deep")
    assert refused.code == 2
    assert "takes no choices" in refused.err


def test_a_message_that_only_a_model_takes_for_a_change_makes_a_version_too(
    leadline: Leadline, endpoint: OpenAIServer, run: str
) -> None:
    request = "My daughter is nine, so mind how you put things"
    endpoint.script["coordinator"] = [
        json.dumps({"reason": "It is to be for a child.", "revises": True, "intent": "not_research", "question": request, "locale": "en"})
    ]  # fmt: skip
    endpoint.script["reporter_revising"] = [f"# For Ann\n\n{STORMS} [B0-1]"]
    ran = leadline("follow", run, request)
    assert ran.code == 0, ran.err
    assert "# For Ann" in ran.out
    assert leadline("runs", "show", run, "--version", "2").out == ran.out
    assert len(json.loads(leadline("runs", "--json").out)) == 1
    [asked] = [body for body in endpoint.requests if role_of(body) == "coordinator"][-1:]
    assert "`revises`" in asked["messages"][0]["content"]
    assert leadline("runs", "replay", run).out == ran.out


def test_a_question_after_a_report_is_a_question(leadline: Leadline, endpoint: OpenAIServer, run: str) -> None:
    endpoint.script["reporter"] = [f"{STORMS} [B0-1]"]
    ran = leadline("follow", run, "How did the shorter pier fare in the storms?")
    assert ran.code == 0, ran.err
    assert "reporter_revising" not in roles(endpoint)
    assert len(json.loads(leadline("runs", "--json").out)) == 2


@pytest.mark.parametrize(
    ("request_", "said"),
    [("Shorter", "There is no run '1999'"), ("缩短一点", "没有名为 '1999' 的研究"), (" ", "what is to be changed")],
)
def test_what_cannot_be_done_is_said_in_the_language_of_the_request(
    leadline: Leadline, run: str, request_: str, said: str
) -> None:
    ran = leadline("revise", "1999", request_)
    assert ran.code == 2
    assert said in ran.err


def test_a_run_without_a_report_cannot_be_changed(leadline: Leadline, endpoint: OpenAIServer) -> None:
    leadline("research", "Hello!", "--out", "out")
    ran = leadline("revise", "把它缩短")
    assert ran.code == 2
    assert "没有可修改的报告" in ran.err
