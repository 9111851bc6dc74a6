"""The records of services: from `services.toml`, and from an operator's own file."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from schemas.options import SEARCH_WORDS
from services.run.errors import BadInput, reason_of
from services.search.web_services.service import Service

BUILT_IN = Path(__file__).with_name("services.toml")
_WORDS = {"extra_forbidden": "there is no field of this name", "missing": "it is missing"}
DUCKDUCKGO = "duckduckgo"
"""The search with a client of its own, which no record can replace."""
LONGEST_FILE = 1_000_000
"""Maximum bytes of an operator's file."""


def services(own: Path | None = None) -> Mapping[str, Service]:
    """Return the services by name; records of the operator's file replace built-in ones of the same name. Blocking.

    Raises:
        BadInput: the file cannot be read, or one of its records cannot be used.
    """
    return {**_built_in(), **(read_services(own) if own else {})}


def read_services(file: Path) -> dict[str, Service]:
    """Read the records of a file: a table for each service, by its name. Blocking.

    Raises:
        BadInput: the file cannot be read, or a record cannot be used; the message names file, service and field.
    """
    try:
        with file.open("rb") as opened:
            data = opened.read(LONGEST_FILE + 1)
        if len(data) > LONGEST_FILE:
            raise BadInput(f"{file} is too long for a file of search services.")
        tables = tomllib.loads(data.decode("utf-8"))
    except OSError as error:
        raise BadInput(f"The search services of {file} cannot be read: {error.strerror}.") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"{file} is no TOML: {error}.") from None
    return {name: _service(file, name, table) for name, table in tables.items()}


def _service(file: Path, name: str, table: Any) -> Service:
    if not isinstance(table, dict):
        raise BadInput(f"{file}: {name} is not a table. Write a service as [{name}] and its fields below.")
    if name in (DUCKDUCKGO, *SEARCH_WORDS):
        raise BadInput(f"{file}: {name} is already taken. Give the service another name.")
    if "name" in table:
        raise BadInput(f"{file}: {name}.name is not allowed: the service is named by its table.")
    try:
        return Service.model_validate({**table, "name": name})
    except ValidationError as error:
        problems = error.errors(include_input=False, include_url=False)
        # A misspelt field is unknown and also missing: the error of the unknown field is clearer.
        problem = next((found for found in problems if found["type"] == "extra_forbidden"), problems[0])
        where = ".".join(str(part) for part in (name, *problem["loc"]))
        what = _WORDS.get(problem["type"]) or reason_of(problem)
        raise BadInput(f"{file}: {where} cannot be used: {what}.") from None


@cache
def _built_in() -> Mapping[str, Service]:
    return MappingProxyType(read_services(BUILT_IN))
