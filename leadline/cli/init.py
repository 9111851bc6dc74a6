"""`leadline init`: asks what is needed, tries it out, and writes `.env`. Keys are typed unseen, or come from the environment."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from leadline.cli.examples import examples
from leadline.cli.options import EXIT_FAILED, MACHINE
from leadline.setup.env_file import FILE, PROVIDERS, SEARCHES, SECRETS, problems_of, write, written_before
from services.run.errors import BadInput, SettingsError
from services.search.folder_files import check_folder

commands = typer.Typer()

ProviderName = Literal["openai", "deepseek", "qwen", "openrouter", "ollama", "other", "none"]
SearchName = Literal["tavily", "duckduckgo", "documents"]

NOBODY = (
    "Nobody can be asked here, because standard input is no terminal. Say it by options, for example: leadline init "
    "--provider openai --model gpt-4.1-mini, with the key in the variable OPENAI_API_KEY (leadline init --help)."
)


@commands.command(epilog=examples("init"), rich_help_panel=MACHINE)
def init(
    provider: Annotated[ProviderName | None, typer.Option(help="Who runs the model.", show_default=False)] = None,
    endpoint: Annotated[
        str | None, typer.Option(metavar="URL", help="Address of an OpenAI-compatible endpoint.", show_default=False)
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="Name of the model.", show_default=False)] = None,
    search: Annotated[SearchName | None, typer.Option(help="Where to search the web.", show_default=False)] = None,
    docs: Annotated[
        list[Path] | None, typer.Option(metavar="DIR", help="Folder of your documents; repeatable.", show_default=False)
    ] = None,
    check: Annotated[bool, typer.Option("--check/--no-check", help="Try the keys out before they are written.")] = True,
    force: Annotated[bool, typer.Option("--force", help="Change what .env says already without asking.")] = False,
) -> None:
    """Connect a model and a web search: asks, tries them out, and writes .env, which only you can read.

    Keys are no options, because shells remember commands: they are typed unseen, or taken from the environment variables
    OPENAI_API_KEY and TAVILY_API_KEY.
    """
    asking = sys.stdin.isatty()
    if not asking and not (provider or endpoint or search or docs):
        raise BadInput(NOBODY)
    before = written_before()
    values = {
        **_model(provider, endpoint, model, asking),
        **_search(search, asking),
        **_documents(docs, asking),
    }
    if check and not _fine(values, asking):
        raise typer.Exit(EXIT_FAILED)
    changed = {name: value for name, value in values.items() if before.get(name) != value}
    if not changed:
        typer.echo(f"{FILE} says all of this already; nothing was changed.", err=True)
        return
    _allowed(changed, before, asking=asking, force=force)
    write(changed)
    typer.echo(f"Written: {', '.join(changed)} in {FILE.absolute()}, which only you can read.", err=True)
    _overridden(changed)
    typer.echo('Next: leadline research "Who first sounded with piano wire?"', err=True)


def _model(provider: str | None, endpoint: str | None, model: str | None, asking: bool) -> dict[str, str]:
    """Return the settings of the model."""
    name = provider or ("other" if endpoint else None)
    if name is None:
        name = (
            _chosen("Which model shall think?", {key: entry.title for key, entry in PROVIDERS.items()}, "none")
            if asking
            else "none"
        )
    known = PROVIDERS[name]
    if name == "none":
        return {}
    address = endpoint or known.endpoint
    if not address and name == "other":
        address = _needed("Address of the endpoint, such as http://127.0.0.1:8080/v1", "--endpoint", asking)
    if address and not address.startswith(("http://", "https://")):
        raise BadInput(f"The endpoint {address!r} is no address. Write it as http://127.0.0.1:8080/v1.")
    chosen = model or (_needed("Model", "--model", asking, known.model) if asking or not known.model else known.model)
    key = _key("OPENAI_API_KEY", f"Key of {known.title.split(' (')[0]}", asking, needed=known.needs_key)
    found = {"OPENAI_API_KEY": key, "OPENAI_BASE_URL": address, "LEADLINE_MODEL": chosen}
    return {variable: value for variable, value in found.items() if value}


def _search(search: str | None, asking: bool) -> dict[str, str]:
    """Return the settings of the web search."""
    name = search or (_chosen("Where shall the web be searched?", SEARCHES, "documents") if asking else None)
    if name is None:
        return {}
    if name != "tavily":
        return {"LEADLINE_SEARCH": name}
    return {"LEADLINE_SEARCH": "auto", "TAVILY_API_KEY": _key("TAVILY_API_KEY", "Key of Tavily", asking, needed=True)}


def _documents(docs: list[Path] | None, asking: bool) -> dict[str, str]:
    """Return the setting of the documents' folders."""
    folders = docs or []
    if not folders and asking:
        typed = typer.prompt("Folder of your documents (Enter: none)", default="", show_default=False, err=True).strip()
        folders = [Path(typed).expanduser()] if typed else []
    for folder in folders:
        check_folder(folder)
    return {"LEADLINE_DOCS": os.pathsep.join(str(folder.absolute()) for folder in folders)} if folders else {}


def _chosen(question: str, choices: dict[str, str], default: str) -> str:
    names = list(choices)
    typer.echo(f"\n{question}", err=True)
    for place, name in enumerate(names, 1):
        typer.echo(f"  {place}  {choices[name]}", err=True)
    while True:
        typed = str(typer.prompt("Number", default=names.index(default) + 1, type=str, err=True)).strip()
        if typed in names:
            return typed
        if typed.isdecimal() and 1 <= int(typed) <= len(names):
            return names[int(typed) - 1]
        typer.echo(f"Type a number from 1 to {len(names)}.", err=True)


def _needed(what: str, option: str, asking: bool, default: str = "") -> str:
    if not asking:
        raise BadInput(f"{what}: give it with {option}, because nobody can be asked here.")
    return str(typer.prompt(what, default=default or None, err=True)).strip()


def _key(variable: str, what: str, asking: bool, *, needed: bool) -> str:
    """Return a key: that of the environment, else typed unseen."""
    given = os.environ.get(variable, "").strip()
    if given:
        typer.echo(f"{what}: taken from {variable} in the environment.", err=True)
        return given
    if not asking:
        if needed:
            raise BadInput(f"{what} is missing. Put it into the environment variable {variable}, then start again.")
        return ""
    hint = "it is not shown" if needed else "it is not shown; Enter: none"
    typed = typer.prompt(
        f"{what} ({hint})", default=None if needed else "", show_default=False, hide_input=True, err=True
    )
    key = str(typed).strip()
    if not key.isprintable() or any(char.isspace() for char in key):
        raise BadInput(f"{what} cannot be used: a key has no spaces and no unprintable characters. Copy it again.")
    return key


def _fine(values: dict[str, str], asking: bool) -> bool:
    """Try the settings out; a person may keep them although something is wrong."""
    if not values.keys() & {*SECRETS, "OPENAI_BASE_URL"}:
        return True
    typer.echo("Trying it out …", err=True)
    problems = asyncio.run(problems_of(values))
    for problem in problems:
        typer.echo(f"  ✗ {problem}", err=True)
    if not problems:
        typer.echo("  ✓ It answers.", err=True)
        return True
    if asking and typer.confirm("Write it down all the same?", default=False, err=True):
        return True
    typer.echo("Nothing was written. Start again with what is right, or with --no-check.", err=True)
    return False


def _allowed(changed: dict[str, str], before: dict[str, str], *, asking: bool, force: bool) -> None:
    """Make sure that what stands in the file already may be changed.

    Raises:
        BadInput: it may not.
    """
    replaced = [name for name in changed if before.get(name)]
    if not replaced or force:
        return
    if not asking:
        raise BadInput(f"{FILE} says {', '.join(replaced)} already. To change that: leadline init … --force")
    if not typer.confirm(f"{FILE} says {', '.join(replaced)} already. Change that?", default=False, err=True):
        msg = f"{FILE} was left as it is."
        raise SettingsError(msg)


def _overridden(changed: dict[str, str]) -> None:
    """Say which variables of the environment come before what was written."""
    for name, value in changed.items():
        if os.environ.get(name, value) != value:
            typer.echo(
                f"Note: {name} is set in the environment, too, and comes first. Unset it: unset {name}", err=True
            )
