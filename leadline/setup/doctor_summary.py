"""The five lines of `leadline doctor`: model, search, files, programs, and what to do next; and below them what is broken."""

from collections.abc import Sequence

from rich.cells import set_cell_size
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from leadline.progress.terminal import as_typed
from leadline.setup import BROKEN, NOTE, OK, Check, State
from leadline.setup.model_setup import PORTS
from services.reports.formats import FORMATS
from services.run.installation import is_installed
from services.run.roles import ROLES
from services.run.ui_text import named, say

MARKS = {OK: Text("✓", style="green"), NOTE: Text("·", style="yellow"), BROKEN: Text("✗", style="bold red")}
"""Mark of each state in a terminal."""


def summary(checks: Sequence[Check]) -> list[Check]:
    """Return four checks that sum up the others, those that are broken, and what to do next."""
    of = {(check.area, check.name): check for check in checks}
    model = _model(checks)
    search = of.get(("search", "LEADLINE_SEARCH"))
    web = search is None or not search.remedy
    broken = [check for check in checks if check.state == BROKEN]
    lines = [
        model,
        _search(search),
        _files(of),
        _programs(checks),
        *broken,
    ]
    if broken:
        following = say("doctor_fix")
    elif model.found in {say("doctor_no_model"), say("doctor_unknown")}:
        server = next((check.name for check in checks if check.name in PORTS and check.state == OK), "")
        following = say("doctor_connect" if server else "doctor_connect_model", server=server)
    else:
        following = say("doctor_ask" if web else "doctor_connect_search")
    return [*lines, _line("next", OK, say("doctor_next", next=following))]


def _search(check: Check | None) -> Check:
    if check is None:
        return _line("search", NOTE, say("doctor_unknown"))
    where = check.found.partition(": ")[2]
    return _line("search", NOTE, say("doctor_not_web", where=where)) if check.remedy else _line("search", OK, where)


def _line(area: str, state: State, finding: str) -> Check:
    return Check(area=area, name="", state=state, found=finding)


def _model(checks: Sequence[Check]) -> Check:
    """Return the models of the roles; each is called by `doctor --models` alone."""
    roles = [
        check for check in checks if check.area == "models" and check.name.split(", ")[0] in {"every role", *ROLES}
    ]
    if not roles:
        return _line("model", NOTE, say("doctor_unknown"))
    known = "; ".join(f"{check.found} ({check.name})" if len(roles) > 1 else check.found for check in roles)
    return _line("model", roles[0].state, known)


def _files(of: dict[tuple[str, str], Check]) -> Check:
    pdf = [("programs", "Chromium"), ("extras", "pdf")]
    made = {name: is_installed(FORMATS[name].module) for name in ("pptx", "docx")}
    made |= {"pdf": any(place in of and of[place].state == OK for place in pdf)}
    lacking = [name for name, is_made in made.items() if not is_made]
    formats = ", ".join(["md", "html", "slides", *(name for name in made if made[name])])
    return _line(
        "files",
        NOTE if lacking else OK,
        say("doctor_formats", formats=formats, lacking=", ".join(lacking)) if lacking else formats,
    )


def _programs(checks: Sequence[Check]) -> Check:
    isolation = [check for check in checks if check.area == "isolation"]
    refused = [check for check in isolation if check.state == BROKEN or check.name == "canaries"]
    unsafe = any(check.name == "LEADLINE_SANDBOX" for check in isolation)
    if refused or not isolation:
        return _line("programs", NOTE, say("doctor_code_refused"))
    return _line(
        "programs",
        NOTE if unsafe else OK,
        say("doctor_code_unisolated" if unsafe else "doctor_code_isolated"),
    )


def show(checks: Sequence[Check]) -> None:
    """Print checks, a line each, in the reader's language: as wide as a terminal, elsewhere as they are."""
    console = Console(highlight=False)
    table = Table.grid("", "", Column(overflow="fold"), padding=(0, 2))
    for check in checks:
        area, found, remedy = named("doctor_names", check.area), as_typed(check.found), as_typed(check.remedy)
        text = f"{named('doctor_names', check.name)}: {found}" if check.name else found
        text = f"{text} → {remedy}" if remedy else text
        if console.is_terminal:
            table.add_row(Text("→") if check.area == "next" else MARKS[check.state], Text(area), Text(text))
        else:
            state = named("doctor_names", check.state)
            print(f"{set_cell_size(state, 6)}  {area}: {text}")  # noqa: T201 - this is its output
    if console.is_terminal:
        console.print(table)
