"""A world in which a run can be made as long as one likes: documents, and plans whose every step asks for five of them."""

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

QUESTION = "Compare the soundings that the stations of the survey reported, station by station."
A_PLAN = 20
"""Steps of one plan at most; longer runs make several plans."""
PLANS = 10
A_STEP = 5
"""Documents that a step asks for, one a query."""


def name_of(number: int) -> str:
    """Return a name that stands in one document and its copies only."""
    chance = random.Random(number)  # noqa: S311 - nothing secret
    return "".join(chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(5)).capitalize()


def text_of(number: int) -> str:
    """Return a document of about 900 characters whose words differ from those of the others."""
    chance = random.Random(10_000 + number)  # noqa: S311 - nothing secret
    words = ["".join(chance.choice("abcdefghijklmnoprstuw") for _ in range(chance.randint(4, 9))) for _ in range(100)]
    filler = ". ".join(" ".join(words[at : at + 10]).capitalize() for at in range(0, 100, 10))
    name = name_of(number)
    depth = chance.randint(100, 9_000)
    return f"# Station {name}\n\nThe station {name} reported a sounding of {depth} metres on its survey.\n\n{filler}.\n"


def write_documents(folder: Path, count: int, originals: int) -> int:
    """Write so many documents, those after the originals copies of these; return their characters."""
    folder.mkdir()
    total = 0
    for number in range(count):
        text = text_of(number % originals)
        if number >= originals:
            text += f"\nReprint {number // originals}.\n"
        (folder / f"station-{number:05}.md").write_text(text, "utf-8")
        total += len(text)
    return total


@dataclass(frozen=True, slots=True)
class World:
    """A run's plans, and the documents that it reads."""

    documents: Path
    steps: int
    names: int
    """Documents that are no copies."""

    @classmethod
    def of(cls, folder: Path, steps: int, documents: int) -> "World":
        """Write the documents of a run; those that it does not ask for by name are copies, which it finds all the same."""
        originals = min(documents, A_STEP * steps)
        write_documents(folder / "documents", documents, originals)
        return cls(folder / "documents", steps, originals)

    @property
    def a_plan(self) -> int:
        """Steps of a plan."""
        return min(self.steps, A_PLAN)

    def script(self, runs: int = 1) -> dict[str, list[str]]:
        """Return the answers of coordinator, planner and reflector for so many runs of one plan, or one of several."""
        plans = [self._plan(at, min(at + self.a_plan, self.steps)) for at in range(0, self.steps, self.a_plan)]
        assert len(plans) <= PLANS
        assert runs == 1 or len(plans) == 1
        triage = {"intent": "in_scope", "complexity": "complex", "locale": "en-US", "question": QUESTION}
        verdicts = [{"has_enough_context": at + 1 == len(plans), "confidence": 0.9} for at in range(len(plans))]
        answers: dict[str, list[dict[str, Any]]] = {"coordinator": [triage], "planner": plans, "reflector": verdicts}
        return {role: [json.dumps(answer) for answer in given] * runs for role, given in answers.items()}

    def _plan(self, first: int, last: int) -> dict[str, Any]:
        steps = []
        for number in range(first, last):
            names = [name_of((number * A_STEP + at) % self.names) for at in range(min(A_STEP, self.names))]
            steps.append(
                {
                    "id": str(number + 1),
                    "title": f"Soundings of {names[0]}",
                    "description": f"Find the soundings of the stations {', '.join(names)}.",
                    "step_type": "research",
                    "queries": [f"The station {name} reported a sounding of metres" for name in names],
                    "depends_on": [str(number)] if number > first else [],
                }
            )
        return {"locale": "en-US", "title": "Soundings", "thought": "Stations", "steps": steps}
