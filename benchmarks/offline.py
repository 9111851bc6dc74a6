"""How often the closest passages, which a report without a model shows, hold the answer.

    python -m benchmarks.offline DATA

Each question is asked over its whole corpus as a folder of documents, by the program as users install it: 60 questions of
XQuAD in English, 60 others in Chinese, and 40 of MuSiQue, which need two or more documents. The questions are spread evenly
over each file, so that they are the same ones each time. What is shown is what stands between a report's title and its
limits. Writes `benchmarks/results/offline.json` under the name that `--name` gives: shares, and the outcome of each question
by its id; the texts stay outside of the project, in the file that `--passages` names.
"""

import argparse
import asyncio
import json
import os
import re
import statistics
import tempfile
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from benchmarks.measurement import RESULTS, plain_environment, read_results, write_results
from benchmarks.retrieval import rows, write_corpus
from leadline import aresearch
from services.reports.labels import CHINESE, ENGLISH
from services.run.settings import forget_settings

FILE = RESULTS / "offline.json"
SIDE_BY_SIDE = 2
"""Questions that are asked at the same time."""
NOTHING = re.compile(r"No passages close|No evidence|没有找到")
"""What a report says that shows nothing."""
ADDED = re.compile(
    rf"^## (?:{ENGLISH.contradictions}|{ENGLISH.limits}|{CHINESE.contradictions}|{CHINESE.limits})$", re.MULTILINE
)
"""Headings of the sections that follow the passages."""

Outcome = Literal["right", "wrong", "declined"]
"""`right`: the gold answer stands in the passages; `wrong`: it does not; `declined`: nothing close was found."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions over one corpus."""

    name: str
    corpus: str
    queries: str
    count: int
    first: int = 0
    """Where the even spread begins: two languages of one file get different questions."""

    def questions(self, data: Path) -> list[dict[str, Any]]:
        """Return `count` questions, spread evenly over the file."""
        every = rows(data, self.queries)
        return [every[(place * len(every) // self.count + self.first) % len(every)] for place in range(self.count)]


SETS = [
    QuestionSet("XQuAD en", "xquad_en_corpus", "xquad_en_queries595", 60),
    QuestionSet("XQuAD zh", "xquad_zh_corpus", "xquad_zh_queries595", 60, first=5),
    QuestionSet("MuSiQue", "musique_corpus", "musique_queries50", 40),
]


def passages_of(markdown: str) -> str:
    """Return what stands between a report's title and its limits, without the counts of its statements."""
    shown = ADDED.split(markdown.partition("\n")[2])[0].strip()
    counts, _, rest = shown.partition("\n")
    return rest.strip() if counts.startswith("*") else shown


def plain(text: str) -> str:
    """Return text without what may be written in several ways: width, case, blanks, marks, commas in numbers."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if char.isalnum())


def outcome_of(shown: str, answers: Sequence[str]) -> Outcome:
    """Judge passages by the gold answers, any of which will do."""
    if any(plain(answer) in plain(shown) for answer in answers if plain(answer)):
        return "right"
    return "declined" if NOTHING.search(shown) else "wrong"


async def asked(question: dict[str, Any], folder: Path, turns: asyncio.Semaphore) -> dict[str, Any]:
    """Ask one question, and return the passages shown and what they came to."""
    answers = question.get("answers") or [question["answer"], *question.get("answer_aliases", [])]
    async with turns:
        began = time.perf_counter()
        report = await aresearch(question["question"], docs=[folder], search="documents")
        seconds = time.perf_counter() - began
    shown = passages_of(report.markdown)
    return {
        "id": question["qid"],
        "question": question["question"],
        "answers": answers,
        "outcome": outcome_of(shown, answers),
        "characters": len(shown),
        "seconds": round(seconds, 2),
        "passages": shown,
    }


async def measured(data: Path, chosen: QuestionSet) -> dict[str, Any]:
    """Ask the questions of a set."""
    with tempfile.TemporaryDirectory() as place:
        os.environ["LEADLINE_HOME"] = f"{place}/home"
        forget_settings()
        folder = Path(place) / chosen.name.replace(" ", "-")
        write_corpus(rows(data, chosen.corpus), folder)
        first, *others = chosen.questions(data)
        turns = asyncio.Semaphore(SIDE_BY_SIDE)
        answered = [await asked(first, folder, turns)]  # which indexes the folder
        answered += await asyncio.gather(*(asked(question, folder, turns) for question in others))
    return {**_summary(answered), "questions": answered}


def _without_texts(found: dict[str, Any]) -> dict[str, Any]:
    """Return what the results file keeps of a set: the texts belong to the data."""
    return {**found, "questions": {question["id"]: question["outcome"] for question in found["questions"]}}


def _summary(answered: Sequence[dict[str, Any]]) -> dict[str, Any]:
    outcomes = [question["outcome"] for question in answered]
    shares = {name: round(100 * outcomes.count(name) / len(outcomes), 1) for name in ("right", "wrong", "declined")}
    return {
        "asked": len(outcomes),
        **shares,
        "characters": round(statistics.mean(question["characters"] for question in answered)),
        "seconds": round(statistics.median(question["seconds"] for question in answered), 2),
    }


def main() -> None:
    """Measure, print a table and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder of the data sets")
    parser.add_argument("--name", default="now", help="name of these results in the file; others stay")
    parser.add_argument("--passages", type=Path, help="file to write every question with its passages to")
    parser.add_argument("--sets", nargs="*", help="only these sets, by their names")
    given = parser.parse_args()
    for name in os.environ.keys() - plain_environment().keys():
        del os.environ[name]
    results = read_results(FILE)
    found = results.setdefault(given.name, {})
    passages: dict[str, Any] = {}
    print(f"{'set':<10} {'asked':>5} {'right':>6} {'wrong':>6} {'declined':>9} {'characters':>11} {'seconds':>8}")
    for chosen in SETS:
        if given.sets and chosen.name not in given.sets:
            continue
        outcome = asyncio.run(measured(given.data, chosen))
        found[chosen.name], passages[chosen.name] = _without_texts(outcome), outcome["questions"]
        row = [outcome[name] for name in ("asked", "right", "wrong", "declined", "characters", "seconds")]
        print(f"{chosen.name:<10} {row[0]:>5} {row[1]:>6} {row[2]:>6} {row[3]:>9} {row[4]:>11} {row[5]:>8}", flush=True)
        write_results(FILE, results)
        if given.passages:
            given.passages.write_text(json.dumps(passages, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
