"""Writes what an evaluation came to: `eval.json`."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from leadline.evaluation.evaluate import Evaluated
from leadline.evaluation.question import EvalQuestion
from services.reports.checking.bundle import write_files


async def write_results(evaluated: Evaluated, questions: Sequence[EvalQuestion], place: Path) -> None:
    """Write the results into the folder of an evaluation.

    Raises:
        StoreUnwritable: the folder cannot be written.
    """
    text = await asyncio.to_thread(evaluated.evaluation.model_dump_json, indent=1)
    await write_files(place, {"eval.json": f"{text}\n".encode()}, "eval")
