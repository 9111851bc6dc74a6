"""What commands share: exit codes, and options that mean the same wherever they stand."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from leadline.runs.run_ids import complete_run_id

EXIT_FAILED, EXIT_BAD_INPUT, EXIT_NO_EVIDENCE, EXIT_INTERRUPTED = 1, 2, 3, 130

RESEARCH, REPORTS, MACHINE, SERVING = "Research", "Runs and their reports", "Set up and check", "Serve"
"""Headings below which the help lists the commands."""
CHOICES, LIMITS, OUTPUT = "How it is researched", "Limits", "What comes out"
"""Headings below which the help of `research` lists the options."""

Search = Literal["auto", "tavily", "duckduckgo", "documents", "none"]
Length = Literal["brief", "standard", "full"]
Style = Literal["report", "data"]
FORMATS = ("md", "html", "slides", "pptx", "docx", "pdf")
LOCALES = ("auto", "en-US", "en-GB", "zh-CN", "zh-TW", "de-DE", "es-ES", "fr-FR", "ja-JP", "ko-KR", "pt-BR")
"""Languages that completion proposes; every language tag can be given."""


def _run_ids(incomplete: str) -> list[tuple[str, str]]:

    return complete_run_id(incomplete)


def _formats(incomplete: str) -> list[str]:
    """Complete the last of several formats."""
    before, comma, last = incomplete.rpartition(",")
    taken = before.split(",") if comma else []
    return [f"{before}{comma}{one}" for one in FORMATS if one.startswith(last) and one not in taken]


def _locales(incomplete: str) -> list[str]:
    return [one for one in LOCALES if one.lower().startswith(incomplete.lower())]


Docs = Annotated[
    list[Path] | None, typer.Option("--docs", metavar="DIR", help="Folder of your own documents; repeatable.")
]
Out = Annotated[
    Path,
    typer.Option("--out", metavar="DIR", help="Folder below which the report is written.", rich_help_panel=OUTPUT),
]
OtherOut = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Write the report below this folder instead.")
]
Formats = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="F,F,…",
        help="Files to make: md, html, slides, pptx, docx, pdf.",
        autocompletion=_formats,
        rich_help_panel=OUTPUT,
    ),
]
Locale = Annotated[
    str,
    typer.Option(
        metavar="L",
        help="Language of the report: auto, en-US, zh-CN, …",
        autocompletion=_locales,
        rich_help_panel=OUTPUT,
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print the report as one JSON object instead of Markdown.", rich_help_panel=OUTPUT),
]
Events = Annotated[
    bool,
    typer.Option(
        "--events", help="Print progress on stderr as JSON, an event a line (docs/scripts.md).", rich_help_panel=OUTPUT
    ),
]
LatestRun = Annotated[
    str | None,
    typer.Argument(
        metavar="RUN",
        help="Id of the run, or its beginning; by default the latest.",
        autocompletion=_run_ids,
        show_default=False,
    ),
]
UnfinishedRun = Annotated[
    str | None,
    typer.Argument(
        metavar="RUN",
        help="Id of the run, or its beginning; by default the latest unfinished one.",
        autocompletion=_run_ids,
        show_default=False,
    ),
]
FinishedRun = Annotated[
    str | None,
    typer.Argument(
        metavar="RUN",
        help="Id of the run, or its beginning; by default the latest finished one.",
        autocompletion=_run_ids,
        show_default=False,
    ),
]
