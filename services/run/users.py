"""Whose run this is: the user that the server recognised by a token, if it knows users at all."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from langgraph.config import get_config

from services.run.settings import Settings

LOCAL = "local"
"""Who a server without tokens serves: whoever sits at this machine."""
_CALLERS = frozenset({"langgraph_auth_user", "langgraph_auth_user_id"})
"""What servers write into a run's configuration, with tokens and without."""
_on_a_page: ContextVar[bool] = ContextVar("on_a_page", default=False)


def current_user() -> str:
    """Return the name of the user whose run this code works for; empty outside of runs and where there are no users.

    The server writes it into the run's configuration itself, over whatever a client put there: LangGraph's both the user and
    their name, Aegra the user alone.
    """
    configurable = _configurable()
    user = configurable.get("langgraph_auth_user")
    named = configurable.get("langgraph_auth_user_id") if user is None else _identity(user)
    name = str(named or "")
    return "" if name == LOCAL else name


def is_served() -> bool:
    """Tell whether a server speaks here to whoever uses it, who has a page and not the command line of this machine."""
    return _on_a_page.get() or not _CALLERS.isdisjoint(_configurable())


@contextmanager
def on_a_page() -> Iterator[None]:
    """Speak as on a page while the block runs: for what a server says outside of runs."""
    token = _on_a_page.set(True)
    try:
        yield
    finally:
        _on_a_page.reset(token)


def _configurable() -> Mapping[str, object]:
    """Return the configuration of the run that this code works for; empty outside of runs."""
    try:
        return get_config().get("configurable", {})
    except RuntimeError:
        return {}


def _identity(user: object) -> object:
    return user.get("identity") if isinstance(user, Mapping) else getattr(user, "identity", None)


def own_folder(environment: Settings) -> list[Path]:
    """Return the folder of the current user's documents, if the operator gives users folders and there is one. Blocking."""
    name = current_user()
    if environment.leadline_user_docs is None or not name:
        return []
    folder = environment.leadline_user_docs / name
    return [folder] if folder.is_dir() and any(folder.iterdir()) else []
