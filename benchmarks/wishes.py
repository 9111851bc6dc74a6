"""Whether the wishes of thirty questions are read and become settings of the run that obey them.

    python -m benchmarks.wishes [--answers FILE]

`wishes.jsonl` has the questions, fifteen in English and fifteen in eleven other languages, each with what it asks for: a list of two
numbers is a range, `*` any value, and `*` before a value its beginning or what it holds. The connected model answers the
coordinator's prompt for each; with `--answers` the answers of a file are scored instead. An answer passes through the code of a run.
"""

import argparse
import asyncio
import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.measurement import RESULTS, write_results
from nodes.coordinator import settled_triage
from schemas.context import RunContext
from schemas.coordinator import CoordinatorPrompt, Triage, triage_schema
from schemas.wishes import Wishes
from services.models import ask
from services.run.wishes import obeyed

OWN = Path(__file__).parent
TODAY = date(2026, 11, 26).isoformat()
OF_SETTINGS = {"language": "locale", "sites": "include_domains", "without_sites": "exclude_domains", "words": "words"}
"""Wishes that become settings of other names."""


def prompt_for(question: str) -> CoordinatorPrompt:
    """Return the coordinator's prompt for a first question."""
    return CoordinatorPrompt(question=question, conversation=[], profile=None, locale="auto", today=TODAY)


async def answered(question: str) -> Triage:
    """Let the connected model answer."""
    prompt = prompt_for(question)
    return Triage.model_validate((await ask("coordinator", prompt, triage_schema(prompt))).model_dump())


def score(question: str, wanted: Mapping[str, Any], triage: Triage) -> dict[str, bool]:
    """Return which wishes of a question hold in the settings of its run, and whether there are no others."""
    settled = settled_triage(triage, prompt_for(question), RunContext())
    context, wishes = obeyed(RunContext(), settled.wishes).context, settled.wishes
    held = {name: _holds(value, _value(name, context, wishes)) for name, value in wanted.items()}
    others = {name for name in Wishes.model_fields if name not in {"said", "pages", "text", "at_most", *wanted}}
    return {**held, "nothing else": not any(getattr(wishes, name) for name in others)}


def _value(name: str, context: RunContext, wishes: Wishes) -> Any:
    if name == "pasted":
        return bool(wishes.text)
    if name == "pages":
        return wishes.pages
    return getattr(context, OF_SETTINGS[name]) if name in OF_SETTINGS else getattr(context.wishes, name)


def _holds(wanted: Any, found: Any) -> bool:
    match wanted:
        case "*":
            return bool(found)
        case str() if wanted.startswith("*"):
            return wanted[1:] in str(found)
        case [int(least), int(most)]:
            return isinstance(found, int) and least <= found <= most
        case list():
            return [str(one).casefold() for one in wanted] == [str(one).casefold() for one in found]
    return bool(wanted == found)


async def measured(answers: Path | None) -> dict[str, Any]:
    """Score all questions, and count by wish and by language."""
    questions, given = await asyncio.to_thread(_rows, OWN / "wishes.jsonl"), dict[int, Any]()
    if answers is not None:
        given = {row["id"]: row["answer"] for row in await asyncio.to_thread(_rows, answers)}
    scores: dict[int, dict[str, bool]] = {}
    for row in questions:
        triage = Triage.model_validate(given[row["id"]]) if answers else await answered(row["question"])
        scores[row["id"]] = score(row["question"], row["wishes"], triage)
    by_wish: dict[str, list[bool]] = {}
    for held in scores.values():
        for name, holds in held.items():
            by_wish.setdefault(name, []).append(holds)
    english = [all(scores[row["id"]].values()) for row in questions if row["language"] == "en"]
    others = [all(scores[row["id"]].values()) for row in questions if row["language"] != "en"]
    return {
        "answers": answers.name if answers else "model",
        "questions": _share(english + others),
        "English": _share(english),
        "other languages": _share(others),
        "by wish": {name: _share(held) for name, held in sorted(by_wish.items())},
        "missed": {
            number: [name for name, held in all_.items() if not held]
            for number, all_ in scores.items()
            if not all(all_.values())
        },
    }


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def _share(held: list[bool]) -> str:
    return f"{sum(held)} of {len(held)}"


def main() -> None:
    """Measure, print a table, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--answers", type=Path, help="answers to score, in place of a model's")
    result = asyncio.run(measured(parser.parse_args().answers))
    write_results(RESULTS / "wishes.json", result)
    table = Table("", "held")
    for name in ("questions", "English", "other languages"):
        table.add_row(name, result[name])
    for name, share in result["by wish"].items():
        table.add_row(f"  {name}", share)
    Console().print(table, result["missed"] or "")


if __name__ == "__main__":
    main()
