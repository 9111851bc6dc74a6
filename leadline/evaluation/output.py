"""Output of an evaluation: `eval.json` and `eval.html`."""

import asyncio
from pathlib import Path

from leadline.evaluation.evaluate import Evaluated
from leadline.evaluation.page import render_page
from services.reports.checking.bundle import write_files


async def write_results(evaluated: Evaluated, place: Path) -> None:
    """Write the results into the folder of an evaluation.

    Raises:
        StoreUnwritable: the folder cannot be written.
    """
    text = await asyncio.to_thread(evaluated.evaluation.model_dump_json, indent=1)
    page = await asyncio.to_thread(render_page, evaluated)
    await write_files(place, {"eval.json": f"{text}\n".encode(), "eval.html": page.encode()}, "eval")
