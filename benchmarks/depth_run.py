"""The measured process of `depth.py`: one question researched, then one line of JSON about what the run left.

Nothing here knows which passages are gold: documents are named by the stems of their files, and `depth.py` compares.
"""

import asyncio
import json
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from benchmarks.report_prompts import exchanges_kept
from leadline import Report, aresearch
from leadline.evaluation.measures import SHORTEST, letters, own_text, repeated
from leadline.runs.store import gatherings_of, open_home
from schemas.depth import Depth
from schemas.evidence import Excerpt, Passage, Source
from services.evidence.citable_excerpts import all_excerpts
from services.reports.parser import parse_report
from services.run.settings import settings
from services.search.documents import open_documents
from services.text.passages import sentences

WRITER = "reporter"
"""Beginning of the names of the templates whose prompts a report is written from."""


def letters_shown(folder: Path, template: str = "") -> str:
    """Return the letters of the requests that are kept in a folder, or of those whose template's name begins so."""
    texts = dict.fromkeys(file.read_text("utf-8") for file in sorted(folder.glob(f"*-{template}*.request.md")))
    return "\n".join(map(letters, texts))


def stands_in(text: str, shown: str) -> bool:
    """Tell whether a sentence of a text is in the prompts' letters: its longest, or any that is long enough."""
    pieces = sorted((letters(text[span.start : span.end]) for span in sentences(text)), key=len, reverse=True)
    long = [piece for piece in pieces if len(piece) >= SHORTEST] or pieces[:1]
    return any(piece in shown for piece in long if piece)


@dataclass(frozen=True, slots=True)
class Left:
    """What a run left in its home: the passages that it gathered, and the excerpts of its state."""

    passages: Sequence[Passage]
    excerpts: Sequence[Excerpt]
    sources: Mapping[str, Source]
    """By content hash."""

    def documents(self, hashes: Iterable[str]) -> list[str]:
        """Return the documents of sources, by the stems of their files."""
        return sorted({PurePosixPath(self.sources[key].url).stem for key in hashes if key in self.sources})


async def left_by(home: Path, run_id: str) -> Left:
    """Read what a run left: its gatherings from the journal, its excerpts from its last state."""
    async with open_home(home) as opened:
        record = await opened.record(run_id)
        values: Any = await opened.values(record)
        gathered = await gatherings_of(opened, run_id)
    return Left(gathered.passages, all_excerpts(values), gathered.sources)


def figures_of(report: Report, left: Left, prompts: Path) -> dict[str, Any]:
    """Return what a run came to, by its report and the folder of its requests: documents at each stage, and figures of the report."""
    everything, written_from = letters_shown(prompts), letters_shown(prompts, WRITER)
    by_id = {excerpt.id: excerpt.content_hash for excerpt in report.excerpts}
    cited = {by_id[key] for claim in report.citations for key in claim.citations if key in by_id}
    own = {source.content_hash: source for source in report.sources}
    read = [passage for passage in left.passages if stands_in(passage.text, everything)]
    shown = [excerpt for excerpt in left.excerpts if stands_in(excerpt.quote, written_from)]
    statuses = Counter(claim.status for claim in report.citations)
    texts = list(own_text(parse_report(report)))
    usage = report.usage.total
    return {
        "documents": {
            "found": left.documents(passage.content_hash for passage in left.passages),
            "read": left.documents(passage.content_hash for passage in read),
            "quoted": left.documents(excerpt.content_hash for excerpt in report.excerpts),
            "shown_to_writer": left.documents(excerpt.content_hash for excerpt in shown),
            "cited": left.documents(cited),
        },
        "sources_read": len({passage.content_hash for passage in read}),
        "excerpts": len(report.excerpts),
        "sources_cited": len(cited),
        "independent_sources_cited": sum(key in own and own[key].duplicate_of is None for key in cited),
        "supported_sentences": statuses["quoted"] + statuses["supported"],
        "inferred_sentences": statuses["inferred"],
        "unverified_sentences": statuses["unverified"],
        "words": sum(len(text.split()) for _, text in texts),
        "repeated_sentences": repeated(texts),
        "model_calls": usage.calls,
        "prompt_tokens": usage.input_tokens,
        "cached_tokens": usage.cached_tokens,
        "output_tokens": usage.output_tokens,
    }


async def index(folder: Path) -> dict[str, Any]:
    """Index a folder of documents below the home of this process."""
    documents = await open_documents(folder, settings().leadline_home)
    return {"documents": documents.count, "models": documents.models}


async def ask(question: str, folder: Path, depth: Depth) -> dict[str, Any]:
    """Research a question over a folder of documents that is indexed already."""
    before, began = _processor_seconds(), time.perf_counter()
    prompts = settings().leadline_home / "prompts"
    with exchanges_kept(prompts):
        report = await aresearch(question, docs=[folder], search="documents", depth=depth)
    seconds, spent, peak = time.perf_counter() - began, _processor_seconds() - before, _peak_megabytes()
    left = await left_by(settings().leadline_home, report.run_id)
    return {
        **figures_of(report, left, prompts),
        "seconds": round(seconds, 2),
        "processor_seconds": round(spent, 2),
        "peak_megabytes": round(peak),
    }


def _processor_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _peak_megabytes() -> float:
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return peak * (1 if sys.platform == "darwin" else 1024) / 1e6


def main() -> None:
    """Read a job from standard input and write what came of it as the last line of standard output."""
    job = json.load(sys.stdin)
    folder = Path(job["folder"])
    came = asyncio.run(ask(job["question"], folder, job["depth"]) if "question" in job else index(folder))
    print(json.dumps(came))


if __name__ == "__main__":
    main()
