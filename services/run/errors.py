"""Every error a user can meet, as one small tree. Each message says what happened and what to do next.

LeadlineError
├── BadInput              the question, an option, a plan or a file cannot be used (exit code 2)
│   ├── DocumentsError    a documents folder is missing, empty or unreadable
│   ├── RunElsewhere      the run of a report's folder is not on this machine: only the folder itself can be used
│   ├── RevisionRefused   a report cannot be changed in the way that is asked for: it stays as it was
│   └── BundleError       an evidence bundle cannot be checked at all
├── SettingsError         the environment lacks something or holds something impossible
│   └── NotInstalled      an extra of Leadline is missing; a terminal offers to install it
├── ModelError            a model did not answer, or not in the form that was asked for
│   ├── UselessAnswer     it answered, and never in a way that can be used: rules stand in for it
│   └── NoNativeTools     the endpoint takes no function calls
├── SearchError           a search provider failed
│   ├── IndexDamaged      an index of documents was damaged and is removed: it is made anew
│   ├── SearchRefused     it refused the key or a limit is reached: asking again soon is of no use
│   └── PageError         a web page cannot be read
│       └── PageRefused   an address that may not be read, or a site that does not want it
├── FileError             a file that a tool was to read may not or cannot be read
├── DatabaseError         a database cannot be reached or did not answer a query
│   └── QueryRefused      a query that may not be run
├── SandboxRefused        this machine cannot isolate model-written code
├── ToolError             a tool cannot do what it was asked for: the message goes to the model
├── ReviewPending         the run waits for a review of its plan, and nobody was there to give it
├── LimitReached          a limit leaves no room for what was to be done next
├── JournalMiss           a replay asked for something that the run's journal does not hold
└── StoreError            checkpoints or evidence cannot be read or written
    ├── StoreDamaged      a file of the home holds what was never written: nothing is done with it
    └── StoreUnwritable   the disk is full, or the place is read-only: the run stops there, and can be gone on with
"""

import re
import sqlite3

from pydantic_core import ErrorDetails

from schemas.clean_text import clean_text
from services.run.message_forms import as_named, for_a_page, for_python, is_python, is_served
from services.run.private_paths import without_private
from services.run.ui_text import MESSAGES, is_chinese, reason_text, say, spoken_locale, told

_HAN = re.compile("[\u4e00-\u9fff]")
_OF_A_DISK = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR}
"""SQLite error codes of faults of the disk or the folder, not of the file."""


class LeadlineError(RuntimeError):
    """Base class of all errors whose message may be shown to a user.

    A `RuntimeError`, because the server passes on the messages of the built-in errors and hides those of others. A message
    may quote what came from outside, such as a file's name or an endpoint's words, and holds no control characters and no secrets. On a
    server it says nothing of where the operator's files lie, and nothing that only the operator can do; the log does.
    """

    for_models = False
    """Whether the message goes to a model, which may need a program's exact output."""

    def __init__(self, message: str = "", *more: object, page: str = "") -> None:
        """Create an error.

        Args:
            message: what happened and what to do, for users of the command line; for those of Python its options are arguments.
            more: further arguments of the exception.
            page: the message for users of a server's page; by default `message` without operators' terms.
        """
        if is_served() and not self.for_models:
            message = for_a_page(message, page)
        elif is_python() and not self.for_models:
            message = for_python(message)
        super().__init__(without_private(clean_text(message)), *more)
        self.log_fields: dict[str, object] = {}
        """Fields about the failed call for the log: names and numbers."""


class BadInput(LeadlineError):
    """The user's input cannot be used."""


class DocumentsError(BadInput):
    """A documents folder is missing, empty or unreadable."""


class RunElsewhere(BadInput):
    """The run of a report's folder is not on this machine; the folder itself can be shown, exported and verified."""


class RevisionRefused(BadInput):
    """A report cannot be changed in the requested way."""


class SettingsError(LeadlineError):
    """A setting in the environment is missing or invalid."""


class NotInstalled(SettingsError):
    """An extra of Leadline is not installed; `command` installs it."""

    def __init__(self, what: str, command: str) -> None:
        super().__init__(**told("not_installed", what=what, command=command))
        self.command = command


class ModelError(LeadlineError):
    """A model did not answer, or its answer has the wrong form."""


class PromptTooLong(ModelError):
    """The context of a role's model has no room for a prompt with any of its evidence."""


class UselessAnswer(ModelError):
    """No answer of a model could be used; rules then do the model's work.

    `role` is the model's role; `problem` is the code of the fault of the answer (`reason_text`), and is all that a report says about it.
    """

    def __init__(self, message: str, *, role: str, problem: str) -> None:
        super().__init__(**told("name_more_capable", message=message, role=role.upper()))
        self.role = role
        self.problem = problem


class NoNativeTools(ModelError):
    """The endpoint does not support function calls; the structured protocol is used instead."""


class SearchError(LeadlineError):
    """A search provider failed."""


class LimitReached(LeadlineError):
    """A limit leaves no room for the next call: research ends, and the report is written from the findings so far.

    `key` names the message in `services/run/ui_text.py`, `limit` is its value.
    """

    def __init__(self, key: str, limit: float) -> None:
        super().__init__(**told(key, limit=f"{limit:g}"))
        self.key = key
        self.limit = limit


class JournalMiss(LeadlineError):
    """A replay asked for something that the run's journal does not hold."""


class SearchRefused(SearchError):
    """A search provider refused the key or reached a limit; repeating soon does not help."""


class IndexDamaged(SearchError):
    """An index of documents was damaged, and is removed. It is a cache: the next opening makes it anew."""


class PageError(SearchError):
    """A web page cannot be read; `passing` is true if its server failed or was not reached, so that a later attempt may work."""

    def __init__(self, message: str = "", *, passing: bool = False, page: str = "") -> None:
        super().__init__(message, page=page)
        self.passing = passing


class PageRefused(PageError):
    """A page must not be read: its address is not public, or its site forbids programs."""


class FileError(LeadlineError):
    """A file for a tool cannot be read, or must not be read."""


class DatabaseError(LeadlineError):
    """A database cannot be reached or did not answer a query."""


class QueryRefused(DatabaseError):
    """A query is refused: it is not a single read-only statement."""


class SandboxRefused(LeadlineError):
    """This machine cannot isolate model-written code."""


class ToolError(LeadlineError):
    """A tool cannot do its task; the message goes to the model."""

    for_models = True


class StoreError(LeadlineError):
    """Checkpoints or evidence cannot be read or written."""


class StoreDamaged(StoreError):
    """A file with users' work is damaged; it is left as it is."""


class StoreUnwritable(StoreError):
    """Results cannot be stored because the disk is full or read-only; the run stops before data is lost."""

    def __init__(self, what: str, why: object) -> None:
        why = (isinstance(why, BaseException) and disk_error_of(why)) or why
        super().__init__(**told("store_unwritable", what=what, why=why))
        self.what, self.why = what, why


class BundleError(BadInput):
    """An evidence bundle cannot be checked at all."""


def reason_of(problem: ErrorDetails) -> str:
    """Return the reason of a pydantic validation error for a person; messages of our own checks without pydantic's prefix."""
    if problem["type"] in {"dict_type", "model_type", "model_attributes_type"}:  # pydantic names our classes
        return say("value_object")
    key = f"value_{problem['type']}"
    if key in MESSAGES and is_chinese(spoken_locale()):
        return say(key, **problem.get("ctx", {}))
    return problem["msg"].removeprefix("Value error, ")


def refused_value(name: str, problem: ErrorDetails, reason: str = "") -> BadInput:
    """Return the error that a choice or argument has a value that cannot be used; without a reason, pydantic's."""
    reason = reason or reason_of(problem)
    value = problem["input"]
    plain = value is None or isinstance(value, str | int | float)  # other values may be long or secret
    told_value = told("value_refused", name=as_named(name), value=repr(value)[:80], reason=reason)
    return BadInput(**(told_value if plain else told("value_unusable", name=as_named(name), reason=reason)))


def problem_text(problem: Exception | str, locale: str, key: str = "trouble") -> str:
    """Return the message of a problem for a reader: framed in the reader's language if the problem's own text is in another."""
    if isinstance(problem, UselessAnswer):
        return say("useless_answer", locale, problem=reason_text(problem.problem, locale), role=problem.role.upper())
    reason = str(problem)
    return reason if _HAN.search(reason) else say(key, locale, reason=reason)


class ReviewPending(LeadlineError):
    """The run `run_id` waits for a review of its plan, but no reviewer was there: it is no fault, and waits on."""

    def __init__(self, run_id: str) -> None:
        super().__init__(
            f"The plan of run {run_id} is waiting for your review. Continue with: leadline resume {run_id}; from Python with an "
            'argument `on_review`, a function that takes the plan and returns an answer, such as {"action": "accept"}.'
        )
        self.run_id = run_id


def disk_error_of(error: BaseException) -> BaseException | None:
    """Return the error in a chain of causes that says that the disk is full or read-only, or None.

    A transaction that a full disk has ended cannot be committed either, and that is what a store raises in the end.
    """
    seen: BaseException | None = error
    while seen is not None:
        code = seen.sqlite_errorcode if isinstance(seen, sqlite3.Error) and hasattr(seen, "sqlite_errorcode") else 0
        if code & 0xFF in _OF_A_DISK:
            return seen
        seen = seen.__cause__ or seen.__context__
    return None
