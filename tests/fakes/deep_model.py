"""A folder of documents and a scripted model that between them need every mechanism of a deep run.

Each document is about one thing of a ship, and only a search that names the thing finds it. The first plan has two steps of two
rounds each; the reflection finds a node thin and adds another, which a second plan serves; of three sections the weakest is
written from nothing that proves it until it is researched again. The same request always gets the same answer.
"""

import json
import re
from pathlib import Path
from typing import Any

from benchmarks.rendered_prompts import Element
from tests.fakes.http import Reply
from tests.fakes.openai_server import role_of
from tests.fakes.quoting import references_to

QUESTION = "How were the anchor and the bilge fitted out?"
THINGS = ("anchor", "capstan", "bilge", "davit", "ensign", "galley", "hawser")
ANCHOR, BILGE, ENSIGN = "The anchor", "The bilge", "The ensign"
"""Sections; the second is the weakest, the third one comes with the reflection."""
STEPS = {
    "Ground tackle": ("anchor", "capstan"),
    "Below deck": ("bilge", "davit"),
    "Flags and meals": ("ensign", "galley"),
    BILGE: ("hawser", ""),
}
"""What the rounds of a step find: the first by the plan, the second by a query of the judgement."""
MISSING = "P9:9"
"""A reference to a sentence that there is not."""
TRUE = "The capstan is therefore heavier than the anchor"
FALSE = "The anchor is therefore older than the capstan"
"""Inferences: from premises that there are, and with one that there is not."""
UNPROVED = "Nobody has ever doubted the weather reports"
FIRST_PLAN: dict[str, Any] = {
    "thought": "t",
    "has_enough_context": False,
    "title": "Fitting out",
    "viewpoints": ["Sailors: what did it weigh?", "Smiths: where was it forged?"],
    "outline": [
        {"title": ANCHOR, "wanted": "forging of it and of the capstan"},
        {"title": BILGE, "wanted": "its forging, and the hawser"},
    ],
    "steps": [
        {"title": "Ground tackle", "description": "All on it", "queries": ["anchor"], "nodes": ["1"]},
        {"title": "Below deck", "description": "All on it", "queries": ["bilge"], "nodes": ["2"]},
    ],
}
SECOND_PLAN: dict[str, Any] = {
    "thought": "t",
    "has_enough_context": False,
    "title": "What is missing",
    "steps": [{"title": "Flags and meals", "description": "All on it", "queries": ["ensign"], "nodes": ["3"]}],
}
GROWS = {
    "steps": [],
    "missing_aspects": ["what flew above"],
    "thin_nodes": [{"node": "2", "query": "hawser beside the bilge"}],
    "new_nodes": [{"title": ENSIGN, "wanted": "its forging and that of the galley", "under": ""}],
    "reasoning": "Half of it is known.",
    "has_enough_context": False,
}
ENOUGH = {"steps": [], "reasoning": "All of it.", "has_enough_context": True}
JOINING = {
    "title": "Fitting out a ship",
    "summary": "The ship was fitted out.",
    "conclusion": "",
    "follow_up_questions": ["Who painted it?"],
}


def told_of(thing: str) -> list[str]:
    number = THINGS.index(thing)
    return [
        f"The {thing} weighs {900 + 100 * number} pounds.",
        f"Smiths forged the {thing} in {1811 + number}.",
        f"Each spring sailors painted the {thing} {('green', 'red', 'white')[number % 3]}.",
        f"Insurers valued the {thing} at {40 + number} guineas.",
    ]


def write_documents(folder: Path, filler: int = 0) -> Path:
    """Write the documents.

    Args:
        folder: for them.
        filler: sentences of no use behind each sentence that is of use.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for thing in THINGS:
        idle = [f"Day {day} of the {thing} went by, and the log has no more to tell of it." for day in range(filler)]
        paragraphs = [" ".join([sentence, *idle]) for sentence in told_of(thing)]
        told = ("\n\n" if idle else " ").join(paragraphs)
        (folder / f"{thing}.md").write_text(f"# Of the {thing}\n\n{told}\n", "utf-8")
    return folder


def human(body: dict[str, Any]) -> str:
    return str(body["messages"][1]["content"])


def title_of(body: dict[str, Any], tag: str) -> str:
    """Return the title of the step, or of the section (`task`), that a request is for."""
    return Element(body=human(body)).first(tag)["title"]


def moment_of(body: dict[str, Any]) -> str:
    """Name what a request asks for: a role, with what it is about where that has more than one."""
    role = role_of(body)
    match role:
        case "researcher":
            again = ", told of a wrong reference" if len(body["messages"]) > 2 else ""
            return f"{title_of(body, 'step')}, round {2 if '<so_far>' in human(body) else 1}{again}"
        case "reporter_section":
            anew = ", anew" if title_of(body, "task") == BILGE and "hawser weighs" in human(body) else ""
            return f"section {title_of(body, 'task')}{anew}"
        case "planner" | "reflector":
            return f"{role} {2 if ENSIGN in human(body) else 1}"
    return role


def answer(body: dict[str, Any]) -> Reply | str | None:
    """Answer a request; None lets rules answer."""
    moment = moment_of(body)
    scripted: dict[str, Any] = {
        "coordinator": {"intent": "in_scope", "complexity": "complex", "locale": "en-US", "question": QUESTION},
        "planner 1": FIRST_PLAN,
        "planner 2": SECOND_PLAN,
        "reflector 1": GROWS,
        "reflector 2": ENOUGH,
        "reporter_joining": JOINING,
    }
    if moment in scripted:
        return json.dumps(scripted[moment])
    if moment.startswith("section"):
        return section(body)
    return findings(body) if role_of(body) == "researcher" else None


def findings(body: dict[str, Any]) -> str:
    """Take all that passages say of a step's things; what comes second is asked for by name."""
    first, second = STEPS.get(title_of(body, "step"), ("", ""))
    both = [sentence for thing in (first, second) if thing for sentence in told_of(thing)]
    named = references_to(body, both)
    if first == "anchor" and "<so_far>" not in human(body):
        named = [*named, MISSING] if len(body["messages"]) > 2 else [named[0], MISSING]
    found = {"high": named, "finding": f"It has a {first}.", "confidence": 0.6}
    if second and second not in " ".join(re.findall(r"(?m)^\d+\| (.*)$", human(body))):
        found |= {"missing_aspects": [f"the {second}"], "queries": [f"{second} of the ship"]}
    return json.dumps(found)


def section(body: dict[str, Any]) -> str:
    """Write a section, a sentence an excerpt; the weak one proves nothing before it has been researched again."""
    shown = {item["id"]: item.body for item in Element(body=human(body)).all("excerpt")}
    title = title_of(body, "task")
    if title == BILGE and not any("hawser" in quote for quote in shown.values()):
        return f"{UNPROVED} {''.join(f'[{key}]' for key in shown)}."
    text = " ".join(f"{quote.rstrip('.')} [{key}]." for key, quote in shown.items())
    anchor, capstan = (
        next((key for key, quote in shown.items() if told_of(thing)[0] in quote), "") for thing in THINGS[:2]
    )
    if title == ANCHOR and anchor and capstan:
        text += f" {TRUE} [inferred: {anchor}, {capstan}]. {FALSE} [inferred: {anchor}, E9-9]."
    return text
