"""Which saved pages are read, with and without a browser, and what a rendered page costs in seconds and memory.

    python -m benchmarks.pages [--page spa-fetch]...

`benchmarks/pages/` has the pages (`benchmarks/saved_pages.py` says in which form). Each is served on loopback and read by the product's
reader, once with LEADLINE_RENDER=off and once with auto, one page after another. The share of a page is that of the sentences of its
main text which stand in what was read. Writes `results/pages.json`.
"""

import argparse
import asyncio
import json
import os
import platform
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any, Literal

from benchmarks.browser_memory import BrowserMemory
from benchmarks.environment import plain_environment
from benchmarks.saved_pages import SavedPage, saved_pages
from services.run.errors import PageError
from services.run.settings import forget_settings
from services.sandbox.browser import find_browser
from services.search.pages.addresses import HostAllowance
from services.search.pages.reader import PageReader
from services.text.normal_form import normalise_text
from tests.fakes.site import Answer, site

RESULTS = Path(__file__).parent / "results" / "pages.json"
MODES: tuple[Literal["off", "auto"], ...] = ("off", "auto")
WARMING = (
    "<p>This page is read first, so that the processes which extract text have started before anything is timed.</p>"
)


def holds(text: str, sentence: str) -> bool:
    """Tell whether a text has a sentence; blanks and marks of emphasis do not count."""
    return _bare(sentence) in _bare(text)


def _bare(text: str) -> str:
    return "".join(normalise_text(text).replace("*", "").replace("`", "").split())


async def read(page: SavedPage, reader: PageReader, port: int) -> dict[str, Any]:
    """Read a page and return its figures."""
    begin, used = time.perf_counter(), _processor_seconds_of_ended()
    problem, text, rendered = "", "", False
    with BrowserMemory() as memory:
        try:
            result = await reader.read(f"http://127.0.0.1:{port}{page.address}")
            text, rendered = result.text, result.rendered
        except PageError as error:
            problem = str(error).replace(f":{port}", "")
    figures: dict[str, Any] = {
        "sentences": sum(holds(text, sentence) for sentence in page.main),
        "beside": sum(holds(text, sentence) for sentence in page.beside),
        "rendered": rendered,
        "seconds": round(time.perf_counter() - begin, 2),
    }
    if memory.peak:
        figures["browser_megabytes"] = round(memory.peak / 1e6)
        figures["browser_processor_seconds"] = round(_processor_seconds_of_ended() - used, 2)
    return figures | ({"problem": problem} if problem else {})


def _processor_seconds_of_ended() -> float:
    """Return the processor time of child processes that have ended, as browsers do after each page."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def measure(pages: Sequence[SavedPage], mode: Literal["off", "auto"]) -> dict[str, dict[str, Any]]:
    """Read all pages in one mode, one after another from one site; return the figures of each."""
    os.environ["LEADLINE_RENDER"] = mode
    forget_settings()
    figures = {}
    with site() as served:
        async with PageReader(HostAllowance.parse(served.host)) as reader:
            await reader.read(served.page("/", WARMING))
            for page in pages:
                served.pages = {path: Answer(part.body, kind=part.media_type) for path, part in page.parts.items()}
                figures[page.name] = await read(page, reader, served.port)
    return figures


def shares(pages: Sequence[SavedPage], read_pages: dict[str, dict[str, Any]]) -> dict[str, float]:
    """Return the mean share of the main text, and how many pages came through whole, in part and not at all."""
    with_text = [page for page in pages if page.main]
    told = [read_pages[page.name]["sentences"] / len(page.main) for page in with_text]
    whole, nothing = (sum(share == wanted for share in told) for wanted in (1, 0))
    return {
        "pages": len(told),
        "share": round(100 * mean(told), 1) if told else 0.0,
        "whole": whole,
        "in_part": len(told) - whole - nothing,
        "nothing": nothing,
    }


def cost(read_pages: dict[str, dict[str, Any]]) -> dict[str, float]:
    """Return what pages took for which a browser was started, and the seconds of the others."""
    started = [one for one in read_pages.values() if "browser_megabytes" in one]
    without = [one["seconds"] for one in read_pages.values() if "browser_megabytes" not in one]
    figures: dict[str, float] = {"pages": len(started)}
    for name in ("seconds", "browser_processor_seconds", "browser_megabytes") if started else ():
        values = [one[name] for one in started]
        figures |= {f"{name}_median": round(median(values), 2), f"{name}_most": max(values)}
    return figures | ({"seconds_without_browser_median": round(median(without), 2)} if without else {})


def by_kind(pages: Sequence[SavedPage], modes: dict[str, dict[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Return the shares of each kind of page, and of all."""
    kinds: dict[str, list[SavedPage]] = {}
    for page in pages:
        kinds.setdefault(page.kind, []).append(page)
    return {
        kind: {mode: shares(of_kind, read_pages) for mode, read_pages in modes.items()}
        for kind, of_kind in [*kinds.items(), ("all", list(pages))]
    }


def table(kinds: dict[str, dict[str, Any]]) -> str:
    """Return the shares as a Markdown table."""
    lines = [
        "| kind | pages | off: share | whole / in part / nothing | auto: share | whole / in part / nothing |",
        "|" + "---|" * 6,
    ]
    for kind, modes in kinds.items():
        columns = [
            f"{one['share']:.0f} % | {one['whole']} / {one['in_part']} / {one['nothing']}" for one in modes.values()
        ]
        lines.append(f"| {kind} | {modes['auto']['pages']} | {' | '.join(columns)} |")
    return "\n".join(lines)


async def main() -> None:
    """Measure, write the results and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="append", help="only pages whose name begins so; nothing is written")
    parser.add_argument("--mode", action="append", choices=MODES, help="only this mode; nothing is written")
    chosen = parser.parse_args()
    for name in os.environ.keys() - plain_environment().keys():
        del os.environ[name]
    if find_browser() is None and chosen.mode != ["off"]:
        parser.error("no Chromium is installed (Debian: apt-get install chromium)")
    pages = [page for page in saved_pages() if not chosen.page or page.name.startswith(tuple(chosen.page))]
    load = os.getloadavg()[0]
    modes = {mode: await measure(pages, mode) for mode in chosen.mode or MODES}
    for page in pages:
        told = ", ".join(
            f"{mode} {of_mode[page.name]['sentences']}/{len(page.main)}" for mode, of_mode in modes.items()
        )
        of_last = list(modes.values())[-1][page.name]
        print(f"{page.name}: {told} {of_last.get('problem', '')} {of_last['seconds']} s")
    if chosen.mode:
        return
    figures: dict[str, Any] = {
        "machine": {"python": platform.python_version(), "processors": os.cpu_count()},
        "load": {"before": round(load, 1), "after": round(os.getloadavg()[0], 1)},
        "kinds": by_kind(pages, modes),
        "cost": cost(modes["auto"]),
        "pages": {
            page.name: {
                "kind": page.kind,
                "of": len(page.main),
                "of_beside": len(page.beside),
                **{mode: of_mode[page.name] for mode, of_mode in modes.items()},
            }
            for page in pages
        },
    }
    print(table(figures["kinds"]), json.dumps(figures["cost"] | figures["load"], indent=1), sep="\n\n")
    if not chosen.page:
        RESULTS.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    asyncio.run(main())
