"""The user of a run, whom the server recognised by a token, if it has users."""

from collections.abc import Mapping
from pathlib import Path

from services.run.page_messages import run_configuration
from services.run.settings import Settings

LOCAL = "local"
"""The user of a server without tokens: the person at this machine."""


def current_user() -> str:
    """Return the name of the current run's user; empty outside of runs and without users.

    The server writes it into the run's configuration itself, replacing a client's values: LangGraph writes the user and
    their name, Aegra only the user.
    """
    name = caller_in(run_configuration())
    return "" if name == LOCAL else name


def caller_in(configurable: Mapping[str, object]) -> str:
    """Return the caller whom a server wrote into a run's configuration, `LOCAL` without tokens; empty outside of servers."""
    user = configurable.get("langgraph_auth_user")
    return str((configurable.get("langgraph_auth_user_id") if user is None else _identity(user)) or "")


def _identity(user: object) -> object:
    return user.get("identity") if isinstance(user, Mapping) else getattr(user, "identity", None)


def own_folder(environment: Settings) -> list[Path]:
    """Return the folder of the current user's documents, if the operator gives users folders and it exists. Blocking."""
    name = current_user()
    if environment.leadline_user_docs is None or not name:
        return []
    folder = environment.leadline_user_docs / name
    return [folder] if folder.is_dir() and any(folder.iterdir()) else []
