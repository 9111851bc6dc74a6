"""`leadline init`: asks for the settings, tests them, and writes `.env`. Keys are typed unseen, or come from the environment."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from leadline.cli import EXIT_FAILED
from leadline.cli.command_list import examples
from leadline.cli.init_model import ENDPOINT, choose, model_settings, typed_key, typed_value
from leadline.progress.terminal import echo
from leadline.setup.env_file import PROVIDERS, problems_of, write, written_before
from leadline.setup.search_setup import names_in, needs_of, offers, set_up_by
from services.run.dotenv_file import FILE
from services.run.errors import BadInput, SettingsError
from services.run.roles import OFFLINE
from services.run.ui_text import say, told
from services.search.folder_files import check_folder

commands = typer.Typer()


@commands.command(epilog=examples("init"))
def init(
    provider: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"Provider of the model: {', '.join(PROVIDERS)}.",
            show_default=False,
        ),
    ] = None,
    endpoint: Annotated[
        str | None, typer.Option(metavar="URL", help="Address of an OpenAI-compatible endpoint.", show_default=False)
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="Name of the model.", show_default=False)] = None,
    search: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Where to search the web: tavily, brave, openalex+arxiv, documents, …",
            show_default=False,
        ),
    ] = None,
    docs: Annotated[
        list[Path] | None, typer.Option(metavar="DIR", help="Folder of your documents; repeatable.", show_default=False)
    ] = None,
    check: Annotated[bool, typer.Option("--check/--no-check", help="Test the keys before they are written.")] = True,
    force: Annotated[bool, typer.Option("--force", help="Overwrite settings in .env without asking.")] = False,
) -> None:
    """Connect a model and a web search: asks for them, tests them, and writes .env, readable only by you.

    Servers of models on this machine (Ollama, LM Studio, llama.cpp, vLLM) are found and offered first.

    Keys are no options, because shells remember commands: they are typed unseen, or taken from the environment variables
    OPENAI_API_KEY, ANTHROPIC_API_KEY, TAVILY_API_KEY and so on.
    """
    asking = sys.stdin.isatty()
    if not asking and not (provider or endpoint or search or docs):
        raise BadInput(**told("init_nobody"))
    before = written_before()
    values = {
        **model_settings(provider, endpoint, model, asking, before),
        **_search(search, asking),
        **_documents(docs, asking),
    }
    if check and not _fine(values, asking):
        raise typer.Exit(EXIT_FAILED)
    changed = {name: value for name, value in values.items() if before.get(name) != value}
    if not changed:
        echo(say("init_same", file=FILE) if values else say("init_nothing"), err=True)
        return
    _allowed(changed, before, asking=asking, force=force)
    write(changed)
    echo(say("init_written", names=", ".join(changed), file=FILE.absolute()), err=True)
    _overridden(changed)
    echo(say("init_next"), err=True)


def _search(search: str | None, asking: bool) -> dict[str, str]:
    """Return the settings of the web search; a single search that is set up is part of `auto`."""
    wanted = search or (choose(say("init_which_search"), offers(), "documents") if asking else None)
    if wanted is None:
        return {}
    values: dict[str, str] = {}
    names = names_in(wanted)
    for title, key, address in map(needs_of, names):
        if address:
            values[address] = os.environ.get(address) or typed_value(
                say("init_address", title=title), say("init_variable", variable=address), asking
            )
        if key:
            values[key] = typed_key(key, say("init_key", title=title), asking, needed=True)
    return {"LEADLINE_SEARCH": "auto" if len(names) == 1 and values else wanted, **values}


def _documents(docs: list[Path] | None, asking: bool) -> dict[str, str]:
    folders = docs or []
    if not folders and asking:
        typed = typer.prompt(say("init_folder"), default="", show_default=False, err=True).strip()
        folders = [Path(typed).expanduser()] if typed else []
    for folder in folders:
        check_folder(folder)
    return {"LEADLINE_DOCS": os.pathsep.join(str(folder.absolute()) for folder in folders)} if folders else {}


def _fine(values: dict[str, str], asking: bool) -> bool:
    """Test the settings; a person may keep settings with problems."""
    connects = OFFLINE not in values.values() and values.keys() & {*ENDPOINT}
    if not (connects or set_up_by(values.keys())):
        return True
    echo(say("init_testing"), err=True)
    problems = asyncio.run(problems_of(values))
    for problem in problems:
        echo(f"  ✗ {problem}", err=True)
    if not problems:
        echo(f"  ✓ {say('init_answers')}", err=True)
        return True
    if asking and typer.confirm(say("init_anyway"), default=False, err=True):
        return True
    echo(say("init_unwritten"), err=True)
    return False


def _allowed(changed: dict[str, str], before: dict[str, str], *, asking: bool, force: bool) -> None:
    """Check that existing settings in the file may be changed."""
    replaced = [name for name in changed if before.get(name)]
    if not replaced or force:
        return
    names = ", ".join(replaced)
    if not asking:
        raise BadInput(**told("init_has", file=FILE, names=names))
    if not typer.confirm(say("init_overwrite", file=FILE, names=names), default=False, err=True):
        raise SettingsError(**told("init_unchanged", file=FILE))


def _overridden(changed: dict[str, str]) -> None:
    for name, value in changed.items():
        if os.environ.get(name, value) != value:
            echo(say("init_overridden", name=name), err=True)
