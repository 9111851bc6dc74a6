"""Sets of broad questions with gold evidence, and what a run brought up of it."""

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any, Literal, get_args

from benchmarks.retrieval import rows, write_corpus

SETS = ("scholarqa_cs", "deepscholar")
"""Each is two files of the data: `<set>_corpus` and `<set>_questions`."""
STAGES = ("found", "read", "quoted", "shown_to_writer", "cited")
"""What becomes of a passage: a gathering returned it, a prompt showed it, an excerpt quotes it, the prompts that the report is
written from show that quote, and the report cites it."""
Half = Literal["first", "second", "all"]
HALVES: tuple[Half, ...] = get_args(Half)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the documents that answer it, and what a good answer holds."""

    id: str
    text: str
    gold: frozenset[str]
    """Ids of documents."""
    criteria: tuple[tuple[float, frozenset[str]], ...] = ()
    """Weights of criteria, and the documents that tell what each asks for; empty where a set has none."""

    @classmethod
    def of(cls, row: dict[str, Any]) -> "Question":
        """Read a row of the data."""
        criteria = tuple((float(one["weight"]), frozenset(one["gold_ids"])) for one in row.get("criteria", []))
        return cls(row["qid"], row["question"], frozenset(row["gold_ids"]), criteria)

    def shares(self, documents: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """Return the share of gold documents at each stage, and of criteria, by weight, with a gold document cited.

        Args:
            documents: ids at each of `STAGES`.
        """
        found = {stage: len(self.gold.intersection(documents[stage])) / len(self.gold) for stage in STAGES}
        judged = [(weight, gold) for weight, gold in self.criteria if gold]
        total = sum(weight for weight, _ in judged)
        if not total:
            return found
        cited = frozenset(documents["cited"])
        return {**found, "criteria_cited": sum(weight for weight, gold in judged if gold & cited) / total}


def questions_of(data: Path, name: str, half: Half = "all", count: int | None = None) -> list[Question]:
    """Return the questions of a set, in the order of its file: one half of them, and of these the first `count`."""
    every = [Question.of(row) for row in rows(data, f"{name}_questions")]
    middle = (len(every) + 1) // 2
    chosen = {"first": every[:middle], "second": every[middle:], "all": every}[half]
    return chosen[:count]


def laid_out(data: Path, name: str, work: Path) -> Path:
    """Lay the corpus of a set out as a folder of documents, unless that is done, and return the folder.

    Its place below `work` is named by what the corpus holds, and a home with its index can lie beside it.
    """
    corpus = data / f"{name}_corpus.jsonl.gz"
    place = work / f"{name}-{hashlib.sha256(corpus.read_bytes()).hexdigest()[:12]}"
    folder = place / name
    if not folder.exists():
        place.mkdir(parents=True, exist_ok=True)
        written = place / "incomplete"
        shutil.rmtree(written, ignore_errors=True)
        write_corpus(rows(data, corpus.name.removesuffix(".jsonl.gz")), written)
        written.rename(folder)
    return folder


def figures_of(question: Question, run: dict[str, Any]) -> dict[str, float]:
    """Return the figures of one run: what `depth_run` says of it, with shares of the gold documents in their place."""
    return {**question.shares(run["documents"]), **{name: value for name, value in run.items() if name != "documents"}}


def means(figures: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each figure over the questions that have it: shares with three digits behind the point, others with one."""
    shares = {*STAGES, "criteria_cited"}
    names = dict.fromkeys(name for row in figures for name in row)
    return {
        name: round(mean(row[name] for row in figures if name in row), 3 if name in shares else 1) for name in names
    }
