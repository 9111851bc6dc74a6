"""A report that one call writes is written again, from what its first draft named as lacking; a second draft that is none leaves the first."""

import json
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from services.reports.checking.bundle import verify_bundle
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.quoting import quoting
from tests.fakes.read_folder import read_before

QUESTION = "How did the lighthouse and the ferry of Norland come about, and what did they cost?"
LIGHT = [
    f"The lighthouse of Norland kept {number} lamps in its {number}th winter of service." for number in range(11, 18)
]
FERRY = [
    f"The ferry of Norland carried {number} carts on its {number}th crossing of the sound." for number in range(31, 38)
]
COST = "The keeper's widow lent the harbour office four hundred crowns for the tower."
STATEMENT = "The money for the tower of Norland came from a widow."
FIRST = f"# Lamps and carts\n\n**TL;DR** {LIGHT[0]} [E1-1]\n\n## Ferry\n\n{FERRY[0]} [E2-1]\n\nNobody tells who paid.\n"
SECOND = f"# A widow paid\n\n**TL;DR** {LIGHT[0]} [E1-1] {COST} [E3-1]\n\n## Ferry\n\n{FERRY[0]} [E2-1]\n\n===\n\nWho was she?"


@pytest.fixture
def norland(endpoint: OpenAIServer, tmp_path: Path) -> Path:
    """A folder of three documents; a model that plans two steps, and quotes all but who paid until that is searched."""
    folder = tmp_path / "norland"
    folder.mkdir()
    (folder / "light.md").write_text("# Lamps\n\n" + "\n\n".join(LIGHT))
    (folder / "ferry.md").write_text("# Carts\n\n" + "\n\n".join(FERRY))
    (folder / "money.md").write_text(f"# The money for the tower\n\n{COST}\n")
    titles = {"1": "Lamps", "2": "Carts"}
    outline = [{"title": title, "wanted": title} for title in titles.values()]
    steps = [
        {"id": key, "title": title, "description": "d", "queries": [f"{title} of Norland"], "nodes": [key]}
        for key, title in titles.items()
    ]
    endpoint.script["planner"] = [json.dumps({"title": "Norland", "outline": outline, "steps": steps})]
    endpoint.script["reflector"] = [json.dumps({"has_enough_context": True})]
    quoted = {'title="Lamps"': LIGHT, 'title="Carts"': FERRY, STATEMENT: [COST]}

    def found(body: dict[str, Any]) -> str:
        human = body["messages"][-1]["content"]
        return quoting(*next(quotes for mark, quotes in quoted.items() if mark in human))(body)

    endpoint.script["researcher"] = [found] * 3
    return read_before(folder)


def last_said(endpoint: OpenAIServer, role: str) -> str:
    """Return the human message of the last request of a role."""
    return str(
        endpoint.requests[max(at for at, one in enumerate(endpoint.roles) if one == role)]["messages"][-1]["content"]
    )


async def test_what_the_first_draft_lacks_is_searched_and_told_by_the_second(
    endpoint: OpenAIServer, norland: Path, tmp_path: Path
) -> None:
    endpoint.script["reporter"] = [f"{FIRST}\n===\n\nWhat else?\n\n===\n\n- {STATEMENT}\n", SECOND]
    report = await aresearch(QUESTION, docs=[norland], out=tmp_path / "out")
    assert STATEMENT in last_said(endpoint, "researcher")
    prompt = last_said(endpoint, "reporter")
    assert f"<draft>\n{FIRST.strip()}\n</draft>" in prompt
    assert COST in prompt
    assert (report.title, report.follow_up_questions) == ("A widow paid", ["Who was she?"])
    assert COST.rstrip(".") in report.markdown
    assert "Nobody tells" not in report.markdown
    assert "reporter_editing" not in endpoint.roles  # nothing is to be mended
    assert verify_bundle(Path(report.folder or "")).problems == []


@pytest.mark.parametrize(
    "second",
    [
        "# A widow paid\n\nShe did.",
        f"# A widow paid\n\n{COST} [E3-1]",
        Reply(500, {"error": {"message": "out of order"}}),
    ],
    ids=["cites nothing", "has lost most", "fails"],
)
async def test_a_second_draft_that_has_lost_what_the_first_tells_does_not_take_its_place(
    endpoint: OpenAIServer, norland: Path, second: str | Reply
) -> None:
    endpoint.script["reporter"] = [f"{FIRST}\n===\n\nWhat else?\n\n===\n\n{STATEMENT}", *[second] * 9]
    report = await aresearch(QUESTION, docs=[norland])
    assert (report.title, report.follow_up_questions) == ("Lamps and carts", ["What else?"])
    assert STATEMENT not in report.markdown
