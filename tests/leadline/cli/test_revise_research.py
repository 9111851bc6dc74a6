"""What a change of a report asks for and the evidence does not hold is searched once; a message after a report changes it, too."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.fakes.editing import blocks_in, edits, titled, whole
from tests.fakes.openai_server import OpenAIServer, role_of
from tests.fakes.quoting import quoting
from tests.leadline.conftest import Leadline, Ran, document

QUESTION = "What closed the northern pier, and for how long?"
STORMS = "Storms closed the northern pier for some weeks of the winter."
COST = "The repair of the northern pier cost 40,000 crowns in the spring of 1922."
BODY = f"# The northern pier\n\n## What happened\n\n{STORMS} [B0-1]"


@pytest.fixture
def run(leadline: Leadline, endpoint: OpenAIServer) -> str:
    """A finished run, whose folder has had another document since."""
    papers = document("pier.md", f"# The pier\n\n{STORMS}\n")
    endpoint.script["reporter"] = [BODY]
    ran = leadline("research", QUESTION, "--docs", papers, "--quick", "--out", "out", "--json", code=0)
    (papers / "costs.md").write_text(f"# What the repair cost\n\n## Treasury\n\n{COST}\n")
    return str(json.loads(ran.out)["run_id"])


def revised(ran: Ran) -> str:
    """Return the report's own text."""
    assert ran.code == 0, ran.err
    return ran.out.partition("## Limits")[0].partition("## References")[0]


def added(text: str, lacks: tuple[str, ...] = ()) -> Callable[[dict[str, Any]], str]:
    """Answer by adding a text behind the last block."""
    return lambda body: edits({"block": list(blocks_in(body))[-1], "action": "add_after", "text": text}, lacks=lacks)


def test_what_the_editor_lacks_is_searched_once_with_the_whole_question_and_then_written(
    leadline: Leadline, endpoint: OpenAIServer, run: str
) -> None:
    lacking = edits(lacks=["The repair of the northern pier cost so many crowns"])
    endpoint.script["reporter_editing"] = [lacking, added(f"{COST} [E1-1]")]
    endpoint.script["researcher"] = [quoting(COST)]
    ran = leadline("revise", run, "Tell the treasurer what she needs, too")
    assert "40,000 crowns" in revised(ran)
    assert STORMS[:-1] in ran.out
    assert "not in the report" not in ran.out
    assert (
        "Searched for this change: The repair of the northern pier cost so many crowns (quotes: 1, sources: 1)"
        in ran.out
    )
    first, second = endpoint.asked("reporter_editing")
    assert COST not in first
    assert COST in second
    assert 'under="Treasury"' in second
    assert second.count(f"{STORMS[:-1]} [B0-1].") == 1
    shown = endpoint.asked("researcher")[-1]
    assert shown.count(QUESTION) > 1  # as the question, and in a query
    assert "Tell the treasurer what she needs, too" in shown
    for version in ("1", "2"):
        assert leadline("verify", run, "--version", version).code == 0
    calls = len(endpoint.requests)
    assert leadline("runs", "replay", run).out == ran.out
    assert len(endpoint.requests) == calls
    endpoint.script["reporter_editing"] = [whole(f"# Costs\n\n{COST} [E1-1]")]
    third = leadline("revise", run, "Only the costs")
    assert "40,000 crowns" in revised(third)
    assert "Searched for this change" not in third.out
    assert leadline("runs", "replay", run).out == third.out


def test_what_the_search_found_only_in_part_is_told_though_the_editor_is_silent(
    leadline: Leadline, endpoint: OpenAIServer, run: str
) -> None:
    asked = ["The repair of the northern pier cost so many crowns", "The mayor praised the masons"]
    endpoint.script["reporter_editing"] = [edits(lacks=asked), added(f"{COST} [E1-1]")]
    endpoint.script["researcher"] = [
        lambda body: json.dumps({**json.loads(quoting(COST)(body)), "missing_aspects": ["What the mayor said"]})
    ]
    ran = leadline("revise", run, "Tell the treasurer what she needs, too")
    assert "40,000 crowns" in revised(ran)
    assert "searched for and not found, so it is not in the report: What the mayor said." in ran.out


def test_what_the_evidence_holds_is_written_without_a_search(
    leadline: Leadline, endpoint: OpenAIServer, run: str
) -> None:
    searches = endpoint.roles.count("researcher")
    table = "| What | How long |\n|---|---|\n| Storms closed the northern pier | some weeks of the winter [B0-1] |"
    endpoint.script["reporter_editing"] = [added(table)]
    ran = leadline("revise", run, "Add a table of what happened, and how long it took")
    assert "| Storms closed the northern pier | some weeks of the winter" in revised(ran)
    assert "not in the report" not in ran.out
    assert endpoint.roles.count("researcher") == searches


def test_what_is_not_found_is_said_and_not_invented(leadline: Leadline, endpoint: OpenAIServer, run: str) -> None:
    invented = added("Saffron cost 300 rials [B0-1].", lacks=("The price of saffron in Isfahan.",))
    endpoint.script["reporter_editing"] = [invented, invented]
    ran = leadline("revise", run, "Add a section on the price of saffron in Isfahan", code=0)
    limits = ran.out.partition("## Limits")[2]
    assert "searched for and not found, so it is not in the report: The price of saffron in Isfahan." in limits
    assert leadline("runs", "replay", run).out == ran.out
    endpoint.script["reporter_editing"] = [titled("Storms")]
    again = leadline("revise", run, "Another title")
    assert "saffron in Isfahan" not in again.out  # a limit of the change before


def test_what_an_excerpt_holds_is_never_said_to_be_missing(
    leadline: Leadline, endpoint: OpenAIServer, run: str
) -> None:
    endpoint.script["reporter_editing"] = [added("Weeks [B0-1].", lacks=("The storms of the winter",))] * 2
    ran = leadline("revise", run, "Add a section on the weeks of the winter", code=0)
    assert "not in the report" not in ran.out


def test_without_research_nothing_is_searched(leadline: Leadline, endpoint: OpenAIServer, run: str) -> None:
    endpoint.script["reporter_editing"] = [edits(lacks=["What the repair cost"])]
    searches = endpoint.roles.count("researcher")
    ran = leadline("revise", run, "Add a section on the costs of the repair", "--no-research")
    assert "that the change asked for, so it is not in the report: What the repair cost" in ran.out
    assert endpoint.roles.count("researcher") == searches
    assert "Searched for this change" not in ran.out


def test_a_request_for_a_change_is_no_part_of_the_next_question(
    leadline: Leadline, endpoint: OpenAIServer, run: str
) -> None:
    endpoint.script["reporter_editing"] = [titled("Brief"), titled("Short")]
    assert leadline("revise", run, "Keep it brief").code == 0
    endpoint.script["coordinator"] = [changes("Make it shorter")]
    assert leadline("follow", run, "Make it shorter").code == 0
    endpoint.script["reporter"] = [f"{STORMS} [B0-1]"]
    assert leadline("follow", run, "And its cost?").code == 0
    shown = endpoint.asked("coordinator")[-1]
    assert "What closed the northern pier" in shown
    assert "shorter" not in shown
    assert "brief" not in shown


def changes(message: str) -> str:
    """Answer as a coordinator that takes a message for a change of the report."""
    said = {"reason": "r", "revises": True, "intent": "not_research", "question": message, "locale": "en"}
    return json.dumps(said)


def test_a_message_that_the_model_takes_for_a_change_makes_a_version(
    leadline: Leadline, endpoint: OpenAIServer, run: str
) -> None:
    request = "My daughter is nine, so mind how you put things"
    endpoint.script["coordinator"] = [changes(request)] * 2
    endpoint.script["reporter_editing"] = [titled("For Ann")]
    ran = leadline("follow", run, request, code=0)
    assert "# For Ann" in ran.out
    assert leadline("runs", "show", run, "--version", "2").out == ran.out
    assert len(json.loads(leadline("runs", "--json").out)) == 1
    [asked] = [body for body in endpoint.requests if role_of(body) == "coordinator"][-1:]
    assert "`revises`" in asked["messages"][0]["content"]
    assert leadline("runs", "replay", run).out == ran.out
    refused = leadline("follow", request, "--depth", "deep", code=2)
    assert "takes no settings of its own" in refused.err


def test_a_question_after_a_report_is_a_question(leadline: Leadline, endpoint: OpenAIServer, run: str) -> None:
    endpoint.script["reporter"] = [f"{STORMS} [T0-1]"]
    leadline("follow", run, "How did the shorter pier fare in the storms?", code=0)
    assert "reporter_editing" not in endpoint.roles
    assert len(json.loads(leadline("runs", "--json").out)) == 2


def test_what_cannot_be_done_is_said_in_the_language_of_the_request(leadline: Leadline, run: str) -> None:
    for request, said in (("Shorter", "There is no run '19990101'"), ("缩短一点", "没有名为 '19990101' 的研究")):
        ran = leadline("revise", "19990101", request, code=2)
        assert said in ran.err
