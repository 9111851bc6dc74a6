"""Tokens of a researcher's answer that takes the same sentences by reference and by copying them.

    python -m benchmarks.answer_tokens DATA

For the first questions of each set the passages of one prompt at the depth `standard` are gathered, and the rules that answer
without a model choose sentences. The same choice is written as the answer of today (`P3:2-4`, in lists of relevance) and as
the answer before it (a passage's id, the copied text and a relevance for each quote); finding, missing aspects and confidence
are the same in both. Writes `benchmarks/results/answer_tokens.json`.
"""

import argparse
import asyncio
import json
import re
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from langgraph.store.memory import InMemoryStore

from benchmarks.prompt_tokens import gathered_passages
from benchmarks.retrieval import rows, write_corpus
from schemas.depth import LEVELS, Level
from schemas.researcher import Findings, ResearcherPrompt
from services.evidence.references import numbered, taken
from services.models import offline
from services.run.evidence_store import EvidenceStore
from services.search.documents import open_documents
from services.search.providers import Providers
from services.text.tokens import has_cjk

RESULTS = Path(__file__).parent / "results" / "answer_tokens.json"
SETS = {
    "HotpotQA": ("hotpotqa_corpus", "hotpotqa_queries100"),
    "ScholarQA-CS": ("scholarqa_cs_corpus", "scholarqa_cs_questions"),
    "XQuAD zh": ("xquad_zh_corpus", "xquad_zh_queries595"),
}
"""Corpus and questions."""
QUESTIONS = 20
_PIECE = re.compile(r"\d|[^\W\d\u4e00-\u9fff]{1,7}|[^\w\s]{1,2}")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
CHINESE_TOKENS = 0.85
"""Tokens of a Chinese character. With the pieces above, counts of whole prompts were within a twentieth of Qwen2.5's."""


def tokens_of(value: Any) -> int:
    """Count the tokens of an answer, which is compact JSON."""
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    return len(_PIECE.findall(text)) + round(CHINESE_TOKENS * len(_CHINESE.findall(text)))


async def prompts_of(
    corpus: str, questions: str, data: Path, work: Path, count: int, level: Level
) -> AsyncIterator[ResearcherPrompt]:
    """Yield the first prompt of a research step for each of the first questions of a set, with the passages that a level shows.

    Args:
        corpus: name of the set's file of documents.
        questions: name of its file of questions.
        data: folder of the data sets.
        work: where the corpus is laid out and indexed.
        count: of the questions.
        level: of a depth.
    """
    folder = work / corpus
    write_corpus(rows(data, corpus), folder)
    providers = Providers(documents=[await open_documents(folder, work / "home")])
    evidence = EvidenceStore(InMemoryStore())
    for row in rows(data, questions)[:count]:
        question = row["question"]
        passages, _ = await gathered_passages(question, providers, evidence, level)
        yield ResearcherPrompt(
            question=question,
            locale="zh-CN" if has_cjk(question) else "en-US",
            title=question,
            description=question,
            queries=[question],
            feedback="",
            findings=[],
            passages=numbered(passages),
        )


def both_answers(prompt: ResearcherPrompt) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the answer by reference and the one that copies what the references name."""
    answer = Findings.model_validate_json(offline.answer(prompt))
    shared = answer.model_dump(include={"finding", "missing_aspects", "confidence"})
    copied = [
        {"passage_id": reference.partition(":")[0], "quote": excerpt.quote, "relevance": relevance}
        for reference, relevance in answer.references
        for excerpt in taken(Findings(high=[reference]), prompt.passages).excerpts
    ]
    return answer.model_dump(include={"high", "medium", "low"}) | shared, {"excerpts": copied} | shared


async def measure(corpus: str, questions: str, data: Path, work: Path) -> dict[str, float]:
    """Compare the answers to the questions of a set."""
    prompts = prompts_of(corpus, questions, data, work, QUESTIONS, LEVELS["standard"])
    pairs = [both_answers(prompt) async for prompt in prompts]
    shared = [tokens_of({name: copied[name] for name in copied if name != "excerpts"}) for _, copied in pairs]
    named, copied = ([tokens_of(pair[place]) for pair in pairs] for place in (0, 1))
    quotes = sum(len(pair[1]["excerpts"]) for pair in pairs)
    evidence_named, evidence_copied = sum(named) - sum(shared), sum(copied) - sum(shared)
    return {
        "questions": len(pairs),
        "quotes": quotes,
        "copied": round(sum(copied) / len(pairs)),
        "by_reference": round(sum(named) / len(pairs)),
        "copied_a_quote": round(evidence_copied / quotes, 1),
        "by_reference_a_quote": round(evidence_named / quotes, 1),
        "ratio_of_evidence": round(evidence_named / evidence_copied, 3),
        "ratio_of_answers": round(sum(named) / sum(copied), 3),
    }


async def main() -> None:
    """Measure all sets, print a table and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    with tempfile.TemporaryDirectory() as work:
        measured = {name: await measure(*files, data, Path(work)) for name, files in SETS.items()}
    print(f"| | {' | '.join(measured)} |\n" + "|---" * (len(measured) + 1) + "|")
    for figure in next(iter(measured.values())):
        print(f"| {figure.replace('_', ' ')} | {' | '.join(str(figures[figure]) for figures in measured.values())} |")
    RESULTS.write_text(json.dumps(measured, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    asyncio.run(main())
