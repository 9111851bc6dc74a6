"""The databases of the configuration: their names, kinds and addresses. An address never leaves this folder."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import SecretStr

from services.run.errors import DatabaseError, SettingsError
from services.run.installation import install_command
from services.run.settings import settings
from services.run.ui_text import told

Dialect = Literal["sqlite", "postgres"]
DIALECTS: dict[Dialect, str] = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
INSTALL = install_command("databases")
FORM = "LEADLINE_DATABASES=primary=sqlite:///sales.db;crm=postgresql://reader:password@host/crm"
_BACKENDS: dict[str, Dialect] = {"sqlite": "sqlite", "postgresql": "postgres", "postgres": "postgres"}
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


@dataclass(frozen=True, slots=True)
class Database:
    """A configured database."""

    name: str
    dialect: Dialect
    address: SecretStr
    """SQLAlchemy URL."""

    @property
    def kind(self) -> str:
        """Display name of its dialect."""
        return DIALECTS[self.dialect]

    def place(self) -> dict[str, Any]:
        """Return the connection data: the path of a file, or a server's parameters.

        Raises:
            DatabaseError: the file is missing.
        """
        url = _parsed(self.name, self.address.get_secret_value())
        if self.dialect == "postgres":
            return {**url.translate_connect_args(username="user", database="dbname"), **url.query}
        path = Path(url.database or "").expanduser().absolute()
        if not path.is_file():
            raise DatabaseError(
                f"The file of the database {self.name!r} is missing. Its operator can correct LEADLINE_DATABASES."
            )
        return {"path": str(path)}


def databases() -> dict[str, Database]:
    """Return the databases of the configuration by name, in its order.

    Raises:
        SettingsError: an entry cannot be used; the message holds no address.
    """
    setting = settings().leadline_databases
    if setting is None:
        return {}
    known: dict[str, Database] = {}
    for place, entry in enumerate(filter(None, map(str.strip, setting.get_secret_value().split(";"))), 1):
        name, separator, address = (part.strip() for part in entry.partition("="))
        if not separator or not _NAME.fullmatch(name):
            raise SettingsError(**told("database_unnamed", place=place, form=FORM))
        if name in known:
            raise SettingsError(**told("database_twice", name=name))
        known[name] = Database(name, _dialect(name, address), SecretStr(address))
    return known


def database(name: str) -> Database:
    """Return a database by its name; `primary` is the first database, unless another one has that name.

    Raises:
        DatabaseError: no database has this name.
        SettingsError: the configuration cannot be used.
    """
    known = databases()
    if name in known:
        return known[name]
    if not known:
        raise DatabaseError("No database is configured. The operator can name some in LEADLINE_DATABASES.")
    if name == "primary":
        return next(iter(known.values()))
    raise DatabaseError(f"There is no database {name[:40]!r}. Known: {', '.join(known)}.")


def _dialect(name: str, address: str) -> Dialect:
    backend = address.partition(":")[0].partition("+")[0].lower()
    if backend not in _BACKENDS:
        raise SettingsError(**told("database_kind", name=name))
    dialect = _BACKENDS[backend]
    url = _parsed(name, address)
    if dialect != "postgres" and (not url.database or url.database.startswith((":", "file:", "md:")) or url.query):
        raise SettingsError(**told("database_no_file", name=name, backend=backend))
    return dialect


def _parsed(name: str, address: str) -> Any:
    try:
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import SQLAlchemyError
    except ImportError:
        raise SettingsError(**told("database_packages", command=INSTALL)) from None
    try:
        return make_url(address)
    except (SQLAlchemyError, ValueError):
        raise SettingsError(**told("database_address", name=name)) from None
