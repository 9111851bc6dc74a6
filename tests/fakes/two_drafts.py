"""A folder of three documents, and a model that plans two steps over two of them, misses what the third tells, and writes a second draft."""

import json
from pathlib import Path
from typing import Any

from tests.fakes.openai_server import role_of
from tests.fakes.quoting import quoting

QUESTION = "How did the lighthouse and the ferry of Norland come about, and what did they cost?"
LIGHT = [
    f"The lighthouse of Norland kept {number} lamps in its {number}th winter of service." for number in range(11, 18)
]
FERRY = [
    f"The ferry of Norland carried {number} carts on its {number}th crossing of the sound." for number in range(31, 38)
]
COST = "The keeper's widow lent the harbour office four hundred crowns for the tower."
LACKING = "The money for the tower of Norland came from a widow."
FIRST = f"# Lamps and carts\n\n**TL;DR** {LIGHT[0]} [E1-1]\n\n## Ferry\n\n{FERRY[0]} [E2-1]\n\nNobody tells who paid.\n"
SECOND = f"# A widow paid\n\n**TL;DR** {LIGHT[0]} [E1-1] {COST} [E3-1]\n\n## Ferry\n\n{FERRY[0]} [E2-1]\n\n===\n\nWho was she?"
_TITLES = {"1": "Lamps", "2": "Carts"}
_QUOTED = {'title="Lamps"': LIGHT, 'title="Carts"': FERRY, LACKING: [COST]}


def write_documents(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, title, told in [("light", "Lamps", LIGHT), ("ferry", "Carts", FERRY), ("money", "The money", [COST])]:
        (folder / f"{name}.md").write_text(f"# {title}\n\n" + "\n\n".join(told) + "\n", "utf-8")
    return folder


def moment_of(body: dict[str, Any]) -> str:
    """Name what a request asks for: a role, and which step or draft."""
    human = str(body["messages"][-1]["content"])
    match role := role_of(body):
        case "researcher":
            return f"researcher, {next(mark for mark in _QUOTED if mark in human)}"
        case "reporter":
            return "second draft" if "<draft>" in human else "first draft"
    return role


def answer(body: dict[str, Any]) -> str | None:
    """Answer a request; None lets rules answer."""
    match moment_of(body):
        case "planner":
            outline = [{"title": title, "wanted": title} for title in _TITLES.values()]
            steps = [
                {"id": key, "title": title, "description": "d", "queries": [f"{title} of Norland"], "nodes": [key]}
                for key, title in _TITLES.items()
            ]
            return json.dumps({"title": "Norland", "outline": outline, "steps": steps})
        case "reflector":
            return json.dumps({"has_enough_context": True})
        case "first draft":
            return f"{FIRST}\n===\n\nWhat else?\n\n===\n\n- {LACKING}\n"
        case "second draft":
            return SECOND
        case moment if moment.startswith("researcher"):
            return quoting(*_QUOTED[moment.partition(", ")[2]])(body)
    return None
