"""From deep on the weakest section is researched again, and written anew where that finds something new."""

import json
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from leadline.runs.actions import areplay
from schemas.events import Event
from tests.conftest import SetEnvironment
from tests.fakes.openai_server import OpenAIServer, role_of
from tests.graph.soundings import (
    LEFT,
    PAPERS,
    QUESTION,
    QUOTED,
    Script,
    human,
    section_of,
    shown_to,
    told_of,
)

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("asked_once")]
WEAK = "The lead"
NEW = PAPERS["tallow"][LEFT]


def of_weak(endpoint: OpenAIServer) -> list[dict[str, Any]]:
    return [body for body in endpoint.requests if "<task" in human(body) and section_of(body) == WEAK]


async def test_where_nothing_new_is_found_the_section_stays_as_it_is(endpoint: OpenAIServer, papers: Path) -> None:
    endpoint.choose = Script(weak=WEAK, finds=(PAPERS["tallow"][QUOTED[0]],))
    events: list[Event] = []
    report = await aresearch(QUESTION, docs=[papers], depth="deep", on_event=events.append)
    assert len(of_weak(endpoint)) == 1
    assert len(report.plans[-1].steps) == 3
    notices = [event.title for event in events if event.type == "notice"]
    assert f"Nothing new was found for the section “{WEAK}”, so it stays as it is" in notices


async def test_exhaustive_researches_two_sections_again(endpoint: OpenAIServer, papers: Path) -> None:
    endpoint.choose = Script(weak=WEAK, finds=(NEW,))
    report = await aresearch(QUESTION, docs=[papers], depth="exhaustive")
    titles = [step.title for step in report.plans[-1].steps[3:]]
    assert titles[0] == WEAK
    searched = {title for title in ("The machine", "The lead", "The echo") for body in endpoint.requests if f'<step title="{title}"' in human(body)}  # fmt: skip
    assert len(searched) == 2


async def test_a_second_draft_is_edited_with_what_is_found_for_its_weakest_topic(
    endpoint: OpenAIServer, papers: Path, environment: SetEnvironment
) -> None:
    environment(LEADLINE_ONE_CALL_TOKENS="100000")
    script = Script(finds=(NEW,))
    edits: list[str] = []

    def answer(body: dict[str, Any]) -> Any:
        role = role_of(body)
        if role == "reporter":
            assert "words (in Chinese, characters), which buy reasons" in body["messages"][0]["content"]
            shown = shown_to(body)
            own = [key for key, quote in shown.items() if quote in PAPERS["machine"] + PAPERS["echo"]]
            return "# Depth\n\n" + "\n\n".join(f"{shown[key].rstrip('.')} [{key}]." for key in own)
        if role == "reporter_editing":
            edits.append(human(body))
            new = next((key for key, quote in shown_to(body).items() if quote == NEW), "")
            added = {"block": "B2", "action": "add_after", "text": f"{NEW.rstrip('.')} [{new}]."}
            return json.dumps({"edits": [added] if new else []})
        return script(body)

    endpoint.choose = answer
    report = await aresearch(QUESTION, docs=[papers], depth="deep")
    assert "reporter_section" not in endpoint.roles
    assert len(edits) == 1  # the check objects to nothing
    assert NEW.rstrip(".") in report.markdown
    assert [step.title for step in report.plans[-1].steps][-1] == WEAK
    assert {claim.status for claim in report.citations if claim.text == NEW} == {"quoted"}
    count = len(endpoint.requests)
    environment(OPENAI_API_KEY=None, OPENAI_BASE_URL=None)
    assert (await areplay(report.run_id)).markdown == report.markdown
    assert len(endpoint.requests) == count


async def test_at_standard_a_second_draft_without_faults_is_not_edited(
    endpoint: OpenAIServer, papers: Path, environment: SetEnvironment
) -> None:
    environment(LEADLINE_ONE_CALL_TOKENS="100000")
    script = Script(finds=(NEW,))
    endpoint.choose = lambda body: "# Depth\n\n" + told_of(body, 3) if role_of(body) == "reporter" else script(body)
    await aresearch(QUESTION, docs=[papers])
    assert endpoint.roles.count("reporter") == 2
    assert "reporter_editing" not in endpoint.roles
    assert not any(f'<step title="{WEAK}"' in human(body) for body in endpoint.requests)
