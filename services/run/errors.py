"""Every error a user can meet, as one small tree. Each message says what happened and what to do next.

LeadlineError
├── BadInput              the question, an option, a plan or a file cannot be used (exit code 2)
│   ├── DocumentsError    a documents folder is missing, empty or unreadable
│   ├── RevisionRefused   a report cannot be changed in the way that is asked for: it stays as it was
│   └── BundleError       an evidence bundle cannot be checked at all
├── SettingsError         the environment lacks something or holds something impossible
│   └── NotInstalled      an extra of Leadline is missing; a terminal offers to install it
├── ModelError            a model did not answer, or not in the form that was asked for
│   ├── UselessAnswer     it answered, and never in a way that can be used: rules stand in for it
│   ├── UnprovenRevision  what it made of a report proves nothing: the report stays as it was
│   └── NoNativeTools     the endpoint takes no function calls
├── SearchError           a search provider failed
│   ├── SearchRefused     it refused the key or a limit is reached: asking again soon is of no use
│   └── PageError         a web page cannot be read
│       └── PageRefused   an address that may not be read, or a site that does not want it
├── FileError             a file that a tool was to read may not or cannot be read
├── DatabaseError         a database cannot be reached or did not answer a query
│   └── QueryRefused      a query that may not be run
├── SandboxRefused        this machine cannot isolate model-written code
├── ToolError             a tool cannot do what it was asked for: the message goes to the model
├── LimitReached          a limit leaves no room for what was to be done next
├── JournalMiss           a replay asked for something that the run's journal does not hold
├── ServerGone            the server that was to do the work cannot be reached
└── StoreError            checkpoints or evidence cannot be read or written
    └── StoreUnwritable   the disk is full, or the place is read-only: the run stops there, and can be gone on with
"""

from pydantic_core import ErrorDetails

from schemas.clean_text import clean_text
from services.run.page_messages import for_a_page, is_served
from services.run.private_paths import without_paths


class LeadlineError(RuntimeError):
    """Base of all errors that are meant to be shown to a user as they are.

    A `RuntimeError`, because the server passes on the messages of the built-in errors and hides those of others. A message
    may quote what came from outside, such as a file's name or an endpoint's words, and holds no control characters. On a server it
    says nothing of where the operator's files lie, and nothing that only the operator can do; the log does.
    """

    for_models = False
    """Whether the message goes to a model, which may need what a program said word by word."""

    def __init__(self, message: str = "", *more: object, page: str = "") -> None:
        """Make an error.

        Args:
            message: what happened and what to do, for whoever has the command line.
            more: arguments that the exception keeps.
            page: the same for a server's user, who has a page; by default the message without operators' words.
        """
        if is_served() and not self.for_models:
            message = for_a_page(message, page)
        super().__init__(without_paths(clean_text(message)), *more)
        self.log_fields: dict[str, object] = {}
        """What log and trace tell of the call that failed: names and numbers."""


class BadInput(LeadlineError):
    """Something the user gave cannot be used."""


class DocumentsError(BadInput):
    """A documents folder is missing, empty or unreadable."""


class RevisionRefused(BadInput):
    """A report cannot be changed in the way that is asked for."""


class SettingsError(LeadlineError):
    """The environment lacks something or holds something impossible."""


class NotInstalled(SettingsError):
    """An extra of Leadline is not installed; `command` installs it."""

    def __init__(self, what: str, command: str) -> None:
        advice = f"{what} Install it with: {command}"
        super().__init__(advice, page=f"{what} Whoever runs this server can install it.")
        self.command = command


class ModelError(LeadlineError):
    """A model did not answer, or not in the form that was asked for."""


class UnprovenRevision(ModelError):
    """A change of a report would leave no statement that what it cites supports."""


class UselessAnswer(ModelError):
    """A model answered, and never in a way that can be used; what it was asked for is then done by rules.

    `role` is whose model it was, `problem` what is wrong with the answer: a report says no more of it than that.
    """

    def __init__(self, message: str, *, role: str, problem: str) -> None:
        named = f"LEADLINE_MODEL_{role.upper()}"
        super().__init__(
            f"{message} Name a more capable model with {named}.",
            page=f"{message} Name a more capable model under “Models” in the settings.",
        )
        self.role = role
        self.problem = problem


class NoNativeTools(ModelError):
    """The endpoint takes no function calls; the structured protocol is left."""


class SearchError(LeadlineError):
    """A search provider failed."""


class LimitReached(LeadlineError):
    """A limit leaves no room for what was to be done next: research ends, and the report is written from what is there.

    `key` names the message of `services/run/ui_text.py` that says so, `limit` is its value.
    """

    def __init__(self, key: str, limit: float) -> None:
        super().__init__(
            f"The limit max_{key.removesuffix('_limit')} ({limit:g}) leaves no room for this. Raise it.",
            page=f"This run's {key.replace('_', ' ')} of {limit:g} leaves no room for this. Raise it in the settings.",
        )
        self.key = key
        self.limit = limit


class JournalMiss(LeadlineError):
    """A replay asked for something that the run's journal does not hold."""


class SearchRefused(SearchError):
    """A search provider refused the key, or a limit is reached: asking again soon is of no use."""


class PageError(SearchError):
    """A web page cannot be read; `passing` tells whether it may be had later: its server failed or was not reached."""

    def __init__(self, message: str = "", *, passing: bool = False, page: str = "") -> None:
        super().__init__(message, page=page)
        self.passing = passing


class PageRefused(PageError):
    """A page may not be read: its address is not public, or its site does not want programs to read it."""


class FileError(LeadlineError):
    """A file that a tool was to read may not or cannot be read."""


class DatabaseError(LeadlineError):
    """A database cannot be reached or did not answer a query."""


class QueryRefused(DatabaseError):
    """A query may not be run: it is not one statement that only reads."""


class SandboxRefused(LeadlineError):
    """This machine cannot isolate model-written code."""


class ToolError(LeadlineError):
    """A tool cannot do what it was asked for; the message goes to the model."""

    for_models = True


class StoreError(LeadlineError):
    """Checkpoints or evidence cannot be read or written."""


class ServerGone(LeadlineError):
    """The server that was to do the work cannot be reached: what else it was to do cannot be done either."""


class StoreUnwritable(StoreError):
    """What a run learns cannot be kept, as the disk is full or the place is read-only: it stops before anything is lost."""

    def __init__(self, what: str, why: object) -> None:
        super().__init__(
            f"{what} cannot be written ({why}). Make room on its disk, or see to it that it can be written "
            "(LEADLINE_HOME names the folder of runs, --out that of reports); then go on with: leadline resume",
            page=f"{what} cannot be written ({why}). Make room on its disk, or ask whoever runs this server to; then ask again in the same thread.",
        )


class BundleError(BadInput):
    """An evidence bundle cannot be checked at all."""


def reason_of(problem: ErrorDetails) -> str:
    """Say what a check of pydantic found wrong, for a person: a check of ours in its own words, without pydantic's before them."""
    return problem["msg"].removeprefix("Value error, ")
