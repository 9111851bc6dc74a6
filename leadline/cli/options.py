"""Options shared by several commands."""

from pathlib import Path
from typing import Annotated, Any

import typer

from leadline.cli.choices import option
from leadline.runs.run_ids import complete_run_id
from schemas.options import OUTPUT


def _run(described: str) -> Any:
    return typer.Argument(
        metavar="RUN",
        help=f"Id of the run, its beginning, or the folder of its report; by default the {described}.",
        autocompletion=complete_run_id,
        show_default=False,
    )


LatestRun = Annotated[str | None, _run("latest")]
UnfinishedRun = Annotated[str | None, _run("latest unfinished one")]
FinishedRun = Annotated[str | None, _run("latest finished one")]
Version = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Version of its report: 1 is the original, and each change adds one."),
]
Docs = Annotated[list[Path] | None, option("documents")]
Formats = Annotated[str, option("output_formats")]
Out = Annotated[
    Path,
    typer.Option("--out", metavar="DIR", help="Write the report below this folder.", rich_help_panel=OUTPUT),
]
OtherOut = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Write the report below this folder, instead of its own.")
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print the report as a JSON object.", rich_help_panel=OUTPUT),
]
Events = Annotated[
    bool,
    typer.Option("--events", help="Print progress on stderr as JSON lines.", rich_help_panel=OUTPUT),
]
