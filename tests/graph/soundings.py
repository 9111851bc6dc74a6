"""A folder of documents on three topics, and a scripted model that plans an outline of them and writes section by section."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.rendered_prompts import Element
from tests.fakes.http import Reply
from tests.fakes.openai_server import role_of
from tests.fakes.quoting import references_to
from tests.fakes.read_folder import filled

QUESTION = "How was the depth of the sea measured by machine, by lead and by sound?"
PAPERS = {
    "machine": [
        "The wire sounding machine was designed by William Thomson in 1872.",
        "Its drum carried three hundred fathoms of piano wire.",
        "Hemp ropes had been too thick for great depths.",
        "A brake on the drum stopped the wire when the sinker touched ground.",
        "Two sailors wound the wire in by hand.",
        "The machine was first tried in the Bay of Biscay.",
        "A cast to two thousand fathoms took half an hour.",
        "The navy bought the machine for its surveying ships.",
        "Steam engines wound the wire from 1880 on.",
        "The drum was made of light brass.",
    ],
    "tallow": [
        "Tallow was pressed into the hollow of the lead so that a sample of the bottom stuck to it.",
        "Pilots told sand from shell by the sample.",
        "The hollow was a thumb deep.",
        "Soap replaced tallow on some ships in warm water.",
        "Old pilots tasted the mud of the sample.",
        "The lead weighed seven pounds in shallow water.",
        "Its line was marked with leather and rags.",
        "A leadsman called the depth from the chains.",
        "Charts printed the kind of bottom beside each depth.",
        "The custom ended when echo sounders came.",
    ],
    "echo": [
        "The echo sounder measures the time that a pulse of sound needs to the bottom and back.",
        "Reginald Fessenden heard an echo from an iceberg in 1914.",
        "Sound travels at fifteen hundred metres a second in the sea.",
        "The Meteor sounded the South Atlantic by echo from 1925 to 1927.",
        "Warm water carries sound faster than cold water.",
        "Paper recorders drew the profile of the bottom from 1935 on.",
        "Multibeam sounders measure a whole strip at once.",
        "Each survey corrects for the salt of the water.",
        "Layers of fish can return a false bottom.",
        "Navigators trusted the echo after many trials.",
    ],
}
QUOTED = (1, 3, 5, 7)
"""Places of the sentences that steps quote, in each paper: twelve excerpts in all."""
LEFT = 9
"""Place of a sentence that no step quotes."""
TITLES = {"machine": "The machine", "tallow": "The lead", "echo": "The echo"}
WANTED = {"machine": "Who made it, and how it worked.", "tallow": "What pilots learned.", "echo": "How sound measures."}
PLAN = {
    "thought": "t",
    "has_enough_context": False,
    "title": "Measuring depth",
    "outline": [
        *({"title": TITLES[name], "wanted": WANTED[name]} for name in PAPERS),
        {"title": "The drum", "wanted": "What it was made of.", "under": "1"},
    ],
    "steps": [
        {"title": f"Read of {name}", "description": WANTED[name], "queries": [PAPERS[name][0]], "nodes": [str(place)]}
        for place, name in enumerate(PAPERS, 1)
    ],
}
JOINING = {
    "title": "Rope, wire and sound",
    "summary": "Depth was measured by wire, by lead and by sound.",
    "conclusion": "",
    "follow_up_questions": ["Who built the drum?"],
}


def write_papers(folder: Path) -> Path:
    """Write the documents, each as one paragraph."""
    return filled(folder, {f"{name}.md": f"# On the {name}\n\n{' '.join(told)}\n" for name, told in PAPERS.items()})


def human(body: dict[str, Any]) -> str:
    return str(body["messages"][1]["content"])


def section_of(body: dict[str, Any]) -> str:
    return Element(body=human(body)).first("task")["title"]


def shown_to(body: dict[str, Any]) -> dict[str, str]:
    """Return the quotes that a request shows, by their ids."""
    return {item["id"]: item.body for item in Element(body=human(body)).all("excerpt")}


def told_of(body: dict[str, Any], most: int = 99) -> str:
    """Write a sentence for each excerpt that a request shows, at most so many."""
    quotes = list(shown_to(body).items())[:most]
    return " ".join(f"{quote.rstrip('.')} [{key}]." for key, quote in quotes)


@dataclass
class Script:
    """What the model answers; the same request always gets the same answer."""

    weak: str = ""
    """Section of which it says nothing that is supported, until it has more evidence."""
    short: str = ""
    """Section of which it writes only one sentence at first."""
    finds: tuple[str, ...] = ()
    """What it quotes when that section is researched again."""

    def __call__(self, body: dict[str, Any]) -> Reply | str | None:
        """Answer a request; None lets rules answer."""
        role = role_of(body)
        if role == "planner":
            return json.dumps(PLAN)
        if role == "reflector":
            return json.dumps({"has_enough_context": True, "steps": []})
        if role == "reporter_joining":
            return json.dumps(JOINING)
        if role == "researcher":
            title = Element(body=human(body)).first("step")["title"]
            name = title.removeprefix("Read of ")
            quotes = [PAPERS[name][place] for place in QUOTED] if name in PAPERS else self.finds
            return json.dumps({"high": references_to(body, quotes), "finding": "f", "confidence": 1})
        if role == "reporter_section":
            return self.section(body)
        return None

    def section(self, body: dict[str, Any]) -> str:
        ids = [*shown_to(body)]
        if section_of(body) == self.weak and not any(key.startswith("E4-") for key in ids):
            return f"Nobody has ever doubted the weather reports {''.join(f'[{key}]' for key in ids)}."
        return told_of(body, 1) if section_of(body) == self.short and "<written>" not in human(body) else told_of(body)


def sections_of(markdown: str) -> dict[str, str]:
    parts = re.split(r"(?m)^## (.+)$", markdown)
    return dict(zip(parts[1::2], map(str.strip, parts[2::2]), strict=True))
