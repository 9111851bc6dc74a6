"""How many of the references that a real model gives to sentences name sentences that there are.

    python -m benchmarks.model_references DATA [--questions 6] [--depth quick]

For the first questions of each set the passages of one prompt are gathered, and the model that is connected
(`OPENAI_BASE_URL`, `LEADLINE_MODEL`) is asked as a research step asks it, but once only. Writes `benchmarks/results/model_references.json`.
"""

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.answer_tokens import SETS, prompts_of
from schemas.depth import DEPTHS, LEVELS, Depth
from schemas.researcher import findings_schema
from services.evidence.references import taken
from services.models import ask
from services.run.errors import ModelError

RESULTS = Path(__file__).parent / "results" / "model_references.json"


async def measure(corpus: str, questions: str, data: Path, work: Path, count: int, depth: Depth) -> dict[str, Any]:
    """Ask the questions of a set and count."""
    counts = {"questions": 0, "failed": 0, "references": 0, "unusable": 0, "excerpts": 0, "without_evidence": 0}
    prompts = [prompt async for prompt in prompts_of(corpus, questions, data, work, count, LEVELS[depth])]
    started = time.monotonic()
    for prompt in prompts:
        counts["questions"] += 1
        try:
            answer = await ask("researcher", prompt, findings_schema(prompt))
        except ModelError:
            counts["failed"] += 1
            continue
        found = taken(answer, prompt.passages)
        counts["references"] += len(answer.references)
        counts["unusable"] += len(found.unknown)
        counts["excerpts"] += len(found.excerpts)
        counts["without_evidence"] += not found.excerpts
    return {**counts, "seconds": round(time.monotonic() - started, 1)}


async def main() -> None:
    """Measure all sets, print what came of each and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--questions", type=int, default=6, help="of each set")
    parser.add_argument("--depth", choices=DEPTHS, default="quick", help="how many tokens the passages have")
    given = parser.parse_args()
    measured = {}
    with tempfile.TemporaryDirectory() as work:
        for name, files in SETS.items():
            measured[name] = await measure(*files, given.data, Path(work), given.questions, given.depth)
            print(f"{name}: {json.dumps(measured[name])}", flush=True)
    RESULTS.write_text(json.dumps({"depth": given.depth, **measured}, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    asyncio.run(main())
