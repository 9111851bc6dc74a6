"""`leadline doctor`: checks what works on this machine, what is missing, and how to install it. It calls no model.

Of the searches of the web it tries those alone that are set up or chosen.
"""

import asyncio
import platform
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from leadline.setup import BROKEN, NOTE, OK, Check
from leadline.setup.doctor_machine import isolation, libraries, parsers, places, programs
from leadline.setup.model_setup import local_servers, package_missing, usual_ports
from leadline.setup.search_setup import searches
from schemas.context import RunContext
from services.embedding.models import INSTALL, embedders
from services.models.endpoint_memory import has_answered, load_learned
from services.models.llamacpp import foreseen
from services.run.endpoints import GENERAL, endpoint_named, endpoint_names
from services.run.errors import LeadlineError, problem_text
from services.run.installation import NAME, install_command
from services.run.roles import OFFLINE, ROLES, role_model
from services.run.secrecy import shown_address
from services.run.settings import settings
from services.run.ui_text import say, search_title, spoken_locale
from services.search.folder_files import check_folder
from services.search.web import web_search


async def examine() -> list[Check]:
    """Run all checks; an error in a check is reported as a finding."""
    checks = [_python()]
    try:
        settings()
    except LeadlineError as error:
        return [
            *checks,
            Check(area="settings", name="environment", state=BROKEN, found=problem_text(error, spoken_locale())),
        ]
    await load_learned()
    further = {_search: searches, _models: _servers}
    for look in (_home, places, _documents, _search, _embeddings, _models, _extras, programs):
        checks += await asyncio.to_thread(_guarded, look)
        checks += await further[look]() if look in further else []
    for area in (isolation, libraries, parsers):
        checks += await area()
    return checks


def _guarded(look: Callable[[], Iterable[Check]]) -> list[Check]:
    try:
        return list(look())
    except LeadlineError as error:
        area = "models" if look is _models else "search"
        return [Check(area=area, name="settings", state=BROKEN, found=problem_text(error, spoken_locale()))]


def _python() -> Check:
    about = {"system": platform.system(), "machine": platform.machine()}
    found = say("doctor_python", version=platform.python_version(), **about)
    return Check(area="python", name=platform.python_implementation(), state=OK, found=found)


def _home() -> Iterable[Check]:
    home = settings().leadline_home
    check = partial(Check, area="home", name="LEADLINE_HOME")
    nearest = next(folder for folder in (home, *home.parents) if folder.exists())
    remedy = say("doctor_home_remedy")
    if not nearest.is_dir():
        yield check(state=BROKEN, found=say("doctor_home_file", folder=nearest), remedy=remedy)
        return
    try:
        with tempfile.TemporaryFile(dir=nearest):
            pass
    except OSError as error:
        yield check(
            state=BROKEN, found=say("doctor_home_unwritable", folder=nearest, reason=error.strerror), remedy=remedy
        )
    else:
        yield check(state=OK, found=say("doctor_home_writable", folder=home))


def _documents() -> Iterable[Check]:
    for folder in settings().leadline_docs:
        try:
            check_folder(folder)
        except LeadlineError as error:
            yield Check(area="search", name="LEADLINE_DOCS", state=BROKEN, found=problem_text(error, spoken_locale()))
        else:
            yield Check(area="search", name="LEADLINE_DOCS", state=OK, found=str(folder))


def _search() -> Iterable[Check]:
    environment = settings()
    web = web_search(RunContext())
    documents = ["documents"] if environment.leadline_search != "none" else []
    where = [search_title(name, spoken_locale()) for name in (*(provider.name for provider in web), *documents)]
    yield Check(
        area="search",
        name="LEADLINE_SEARCH",
        state=OK,
        found=f"{environment.leadline_search}: {', '.join(where) or say('doctor_nothing_searched')}",
        remedy="" if web else say("doctor_search_web"),
    )


def _embeddings() -> Iterable[Check]:
    models = [say("doctor_meaning_model", name=embedder.name) for embedder in embedders(settings())]
    off = settings().leadline_embeddings_model == "none"
    yield Check(
        area="search",
        name="by meaning",
        state=OK if models else NOTE,
        found=", ".join(models) or say("doctor_meaning_off" if off else "doctor_meaning_none"),
        remedy="" if models or off else INSTALL,
    )


def _models() -> Iterable[Check]:
    roles: dict[str, list[str]] = {}
    files: dict[str, tuple[Path, int | None]] = {}
    untested = {OFFLINE}
    for role in ROLES:
        chosen = role_model(role, RunContext())
        at = say(
            "doctor_model_at" if chosen.named else "doctor_model_unnamed", model=chosen.model, endpoint=chosen.endpoint
        )
        known = OFFLINE if chosen.provider == OFFLINE else at
        if chosen.provider != OFFLINE and not has_answered(chosen):
            known += say("doctor_model_untested")
            untested.add(known)
        roles.setdefault(known, []).append(role)
        if chosen.file is not None:
            files[known] = (chosen.file, chosen.context_window)
    for model, played in roles.items():
        yield Check(
            area="models",
            name="every role" if len(roles) == 1 else ", ".join(played),
            state=NOTE if model in untested else OK,
            found=say("doctor_no_model") if model == OFFLINE else model,
            remedy=say("doctor_no_model_remedy") if model == OFFLINE else "",
        )
    yield from (_model_file(*file) for file in files.values())
    key = settings().openai_api_key is not None
    yield Check(
        area="models",
        name="OPENAI_API_KEY",
        state=OK if key else NOTE,
        found=say("doctor_set" if key else "doctor_not_set"),
    )
    for name in endpoint_names():
        if name != GENERAL:
            endpoint = endpoint_named(name)
            address = shown_address(endpoint.base_url or "")
            keyed = "doctor_endpoint_keyed" if endpoint.api_key else "doctor_endpoint"
            yield Check(
                area="models",
                name=endpoint.address_variable,
                state=OK,
                found=say(keyed, address=address, variable=endpoint.key_variable),
            )


async def _servers() -> list[Check]:
    check = partial(Check, area="models")
    checks = []
    for server in await local_servers():
        command = await asyncio.to_thread(package_missing, server.title)
        remedy = say("doctor_server_package" if command else "doctor_server", command=command)
        checks.append(check(name=server.title, state=OK, found=f"{server.base_url}: {server.names()}", remedy=remedy))
    if checks:
        return checks
    ports = ", ".join(f"{port} ({title})" for title, port in usual_ports().items())
    return [check(name="on this machine", state=NOTE, found=say("doctor_no_server", ports=ports))]


def _model_file(file: Path, window: int | None) -> Check:
    check = partial(Check, area="models", name=file.name)
    try:
        return check(state=OK, found=f"llama.cpp: {foreseen(file, window)}")
    except LeadlineError as error:
        return check(state=BROKEN, found=problem_text(error, spoken_locale()))


def _extras() -> Iterable[Check]:
    for extra, wanted in _optional().items():
        if any(requirement.name == NAME for requirement in wanted):
            continue  # an extra of other extras, which have their own lines
        absent = [requirement for requirement in wanted if not _installed(requirement.name)]
        missing = [requirement.name for requirement in absent if _holds(requirement, extra)]
        elsewhere = [requirement.name for requirement in absent if not _holds(requirement, extra)]
        lacking = {"doctor_extra_missing": missing, "doctor_extra_elsewhere": elsewhere}
        yield Check(
            area="extras",
            name=extra,
            state=NOTE if absent else OK,
            found="; ".join(say(why, packages=", ".join(names)) for why, names in lacking.items() if names)
            or say("doctor_installed"),
            remedy=install_command(extra) if missing else "",
        )


def _optional() -> dict[str, list[Requirement]]:
    about = metadata.metadata(NAME)
    wanted = [Requirement(text) for text in about.get_all("Requires-Dist") or []]
    return {
        extra: [requirement for requirement in wanted if f'extra == "{extra}"' in str(requirement.marker)]
        for extra in about.get_all("Provides-Extra") or []
    }


def _holds(requirement: Requirement, extra: str) -> bool:
    """Tell whether a requirement belongs to an extra on this machine."""
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def _installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True
