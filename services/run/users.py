"""The user of a run, whom the server recognised by a token, if it knows users at all."""

from collections.abc import Mapping
from pathlib import Path

from services.run.page_messages import run_configuration
from services.run.settings import Settings

LOCAL = "local"
"""Who a server without tokens serves: whoever sits at this machine."""


def current_user() -> str:
    """Return the name of the user whose run this code works for; empty outside of runs and where there are no users.

    The server writes it into the run's configuration itself, over whatever a client put there: LangGraph's both the user and
    their name, Aegra the user alone.
    """
    configurable = run_configuration()
    user = configurable.get("langgraph_auth_user")
    named = configurable.get("langgraph_auth_user_id") if user is None else _identity(user)
    name = str(named or "")
    return "" if name == LOCAL else name


def _identity(user: object) -> object:
    return user.get("identity") if isinstance(user, Mapping) else getattr(user, "identity", None)


def own_folder(environment: Settings) -> list[Path]:
    """Return the folder of the current user's documents, if the operator gives users folders and there is one. Blocking."""
    name = current_user()
    if environment.leadline_user_docs is None or not name:
        return []
    folder = environment.leadline_user_docs / name
    return [folder] if folder.is_dir() and any(folder.iterdir()) else []
