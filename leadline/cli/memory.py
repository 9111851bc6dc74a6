"""The command that lists and deletes remembered statements of reports."""

import asyncio
import json
import sys
from typing import Annotated

import typer

from leadline.cli.examples import examples
from leadline.progress.terminal import echo
from leadline.runs.memory import aforget, aforget_all, amemory
from schemas.memory import MemoryEntry, MemoryView
from services.run.errors import BadInput

commands = typer.Typer()
_FORGET = "forget"
_NOTHING = "Nothing is remembered. A run with --memory remembers what its report proves."


@commands.command(epilog=examples("memory"))
def memory(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORDS | forget ID…]",
            help="Show only what holds these words; or forget the statements with these ids, or their beginnings.",
        ),
    ] = None,
    forget_everything: Annotated[bool, typer.Option("--all", help="With forget: forget everything.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --all: do not ask.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the statements as a JSON list.")] = False,
) -> None:
    """Show what is remembered of the reports of runs with --memory, and forget it."""
    given = words or []
    if given[:1] == [_FORGET]:
        forgotten = _forget_all(yes) if forget_everything else _forget(given[1:])
        if as_json:
            echo(json.dumps(forgotten))
        return
    if forget_everything:
        raise BadInput("To forget everything: leadline memory forget --all")
    entries = asyncio.run(amemory(" ".join(given)))
    if as_json:
        shown = [MemoryView.of(entry).model_dump(mode="json") for entry in entries]
        echo(json.dumps(shown, indent=2, ensure_ascii=False))
        return
    if not entries:
        echo("Nothing that is remembered holds these words." if given else _NOTHING, err=True)
    for entry in entries:
        _show(entry)


def _show(entry: MemoryEntry) -> None:
    sources = "; ".join(f"{source.title or source.url} ({source.url})" for source in entry.sources.values())
    echo(f"{entry.id}  {entry.known_from}  {' '.join(entry.claim.split())}\n{'':26}{sources}")


def _forget(ids: list[str]) -> list[str]:
    if not ids:
        raise BadInput("Name what to forget by its id: leadline memory forget ID, or everything: --all")
    forgotten = asyncio.run(aforget(ids))
    for entry in forgotten:
        echo(f"Forgotten: {entry.id}  {' '.join(entry.claim.split())}", err=True)
    return [entry.id for entry in forgotten]


def _forget_all(yes: bool) -> list[str]:
    entries = asyncio.run(amemory())
    if not yes and entries:
        if not sys.stdin.isatty():
            raise BadInput(f"This forgets {len(entries)} statements. To do so without being asked: --yes")
        typer.confirm(f"Forget all {len(entries)} statements?", abort=True, err=True)
    count = asyncio.run(aforget_all())
    echo(f"Forgotten: {count} statements." if count else _NOTHING, err=True)
    return [entry.id for entry in entries]
