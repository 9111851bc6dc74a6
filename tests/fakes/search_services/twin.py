"""A twin: a loopback server that knows a service's path, its key and its parameters, and remembers what it was asked."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.fakes.http import Reply, Request, serving

KEY = "key-of-a-test"


@dataclass(slots=True)
class Form:
    """What a service takes and gives, as its documentation says."""

    path: str
    query: str
    """Name of the parameter that holds what is searched for."""
    found: Any
    """The answer when something is found: an object, or the bytes of a feed."""
    nothing: Any
    """The answer when nothing is found."""
    limit: str = ""
    """Name of the parameter that says how many."""
    key: tuple[str, str] | None = None
    """Header of the key, and its form with `{key}`; by `?name` a parameter."""
    needs_key: bool = False
    post: bool = False
    needs: dict[str, str] = field(default_factory=dict)
    """Parameters without which it does not answer in this form."""
    no_key_status: int = 401


@dataclass(slots=True)
class Twin:
    """What was asked, and what to answer."""

    form: Form
    address: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    """Parameters of the requests that were answered or refused, or the JSON of their bodies."""
    headers: list[dict[str, str]] = field(default_factory=list)
    """Header names in title case."""
    replies: list[Reply] = field(default_factory=list)
    """Sent first, each once; the last one that is left again and again."""
    found: Any = None
    """Instead of the form's."""

    def answer(self, request: Request) -> Reply:
        parts = urlsplit(request.path)
        parameters: dict[str, Any] = request.body if self.form.post else dict(parse_qsl(parts.query))
        self.asked.append(parameters)
        self.headers.append(request.headers)
        if self.replies:
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return self._checked(parts.path, parameters, request)

    def _checked(self, path: str, parameters: dict[str, Any], request: Request) -> Reply:
        form = self.form
        if path != form.path or (form.post and not request.body):
            return Reply(404, {"message": "Not Found"})
        if form.needs_key and not self._has_key(parameters, request):
            return Reply(form.no_key_status, {"message": "no valid key"})
        wanted = parameters.get(form.query)
        if not wanted or any(str(parameters.get(name)) != value for name, value in form.needs.items()):
            return Reply(400, {"message": "bad request"})
        if form.limit and int(parameters[form.limit]) < 1:
            return Reply(400, {"message": "bad limit"})
        body = form.nothing if "nothing" in str(wanted) else form.found if self.found is None else self.found
        if isinstance(body, bytes):
            return Reply(raw=body, headers={"Content-Type": "application/atom+xml; charset=utf-8"})
        return Reply(body=body)

    def _has_key(self, parameters: dict[str, Any], request: Request) -> bool:
        if self.form.key is None:
            return True
        name, written = self.form.key
        given = parameters.get(name[1:]) if name.startswith("?") else request.headers.get(name.title())
        return given == written.replace("{key}", KEY)


@contextmanager
def twin(form: Form) -> Iterator[Twin]:
    served = Twin(form)
    with serving(served.answer) as address:
        served.address = address
        yield served


def changed(found: Any, *names: str) -> Any:
    """Return an answer in which fields have other names everywhere."""
    written = json.dumps(found)
    for name in names:
        written = written.replace(f'"{name}": ', f'"{name}_renamed": ')
    return json.loads(written)
