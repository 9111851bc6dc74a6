"""The world of a run that gets killed: every far end that it asks, on loopback, and a log of what each was asked when.

One run with everything in it: two steps side by side, of which one searches the web and reads its pages and one calls a tool
of a server, then a step that runs a program, a reflection and a report. Answers depend on requests alone, so a run that was
killed and asks again gets the same ones.
"""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from schemas.planner import Plan, Step
from schemas.reflector import Reflection
from tests.conftest import CLOSED, PROJECT
from tests.fakes.http import Reply, Request, serving
from tests.fakes.openai_server import OpenAIServer, completion, role_of, think
from tests.fakes.site import Answer, Site, site
from tests.fakes.tavily_server import TavilyServer, page

Phase = Literal["asked", "half", "answered"]
OnPhase = Callable[[str, Phase], None]

QUESTION = (
    "Who designed the wire sounding machine, why was tallow pressed into the lead, and how many casts were counted?"
)
MACHINE, TALLOW = "The wire sounding machine was designed by", "Tallow was pressed into the lead"
TOOL_STEP = "Count the casts of the pump"
TOOL = "pump__count"
WITH_TOOLS = ("researcher with tools", "researcher with results")
"""The two rounds of the step that has tools."""
PAGES = {
    "/machine": (
        MACHINE,
        "The wire sounding machine",
        "The wire sounding machine was designed by William Thomson in 1872.",
    ),
    "/tallow": (
        TALLOW,
        "Arming the lead",
        "Tallow was pressed into the hollow of the lead so that a sample of the bottom stuck to it.",
    ),
}
"""Path, and the query that finds it, its title and what it says."""
CODE = "# counted by the shim\ncasts = 1 + 2\nprint(f'The pump and the crew counted {casts} casts together.')\n"
PLAN = Plan(
    title="Soundings",
    steps=[
        Step(
            id="1",
            title="Machine and tallow",
            description="Who designed it, and why tallow.",
            queries=[MACHINE, TALLOW],
        ),
        Step(id="2", title=TOOL_STEP, description="Count the casts.", need_web_search=False, tools=["pump"]),
        Step(
            id="3",
            title="Add up",
            description="Add the casts up.",
            step_type="processing",
            need_web_search=False,
            depends_on=["1", "2"],
        ),
    ],
)
COUNTED = {
    "high": ["P1:1"],
    "finding": "The pump counted casts.",
}
NEXT = ("The wire was tried first aboard", "The tallow of the lead was armed by")
"""What the researcher searches next; it finds nothing new."""
AFTER: dict[str, tuple[str, ...]] = {
    "coordinator": (),
    f"search {QUESTION}": ("coordinator",),
    "planner": (f"search {QUESTION}",),
    f"search {MACHINE}": ("planner",),
    f"search {TALLOW}": ("planner",),
    "page /machine": (f"search {MACHINE}", f"search {TALLOW}"),
    "page /tallow": (f"search {MACHINE}", f"search {TALLOW}"),
    "researcher": ("page /machine", "page /tallow"),
    **{f"search {query}": ("researcher",) for query in NEXT},
    "researcher with tools": ("planner",),
    "tool": ("researcher with tools",),
    "researcher with results": ("tool",),
    "coder": ("researcher", "researcher with results"),
    "code": ("coder",),
    "reflector": ("code",),
    "reporter": ("reflector",),
    "reporter_editing": ("reporter",),
}
"""Every call of the run, and the calls that must have been answered before it is made."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One moment at a far end."""

    label: str
    phase: Phase
    life: int
    """How many times the run had been killed before."""


@dataclass(slots=True)
class World:
    """The far ends, and what they saw."""

    folder: Path
    model: OpenAIServer
    tavily: TavilyServer
    pages: Site
    seen: list[Seen] = field(default_factory=list)
    on_phase: OnPhase | None = None
    """Called at each moment, in the far end's own thread: what it does delays the answer."""
    life: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def tool_calls(self) -> Path:
        """The file in which each call of the tool leaves a line."""
        return self.folder / "tool-calls"

    @property
    def code_runs(self) -> Path:
        """The file in which each run of the program leaves a line."""
        return self.folder / "code-runs"

    @property
    def temporary(self) -> Path:
        return self.folder / "temporary"

    def begin(self) -> None:
        """Forget everything: a new run begins."""
        self.seen.clear()
        self.life = 0
        self.on_phase = None
        for file in (self.tool_calls, self.code_runs):
            file.write_text("")

    def killed(self) -> None:
        """Take note that the process is gone, and of what left lines in files while it lived."""
        self.note_lines()
        self.life += 1

    def note_lines(self) -> None:
        """Take note of what has left lines in files since the last look."""
        for label, file in (("tool", self.tool_calls), ("code", self.code_runs)):
            known = sum(one.label == label for one in self.seen)
            self.seen += [Seen(label, "asked", self.life)] * (len(file.read_text().splitlines()) - known)

    def note(self, label: str, phase: Phase) -> None:
        with self._lock:
            self.seen.append(Seen(label, phase, self.life))
        if self.on_phase is not None:
            self.on_phase(label, phase)

    def asked(self, label: str) -> int:
        return sum(one.label == label and one.phase == "asked" for one in self.seen)

    def environment(self, home: Path) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "LEADLINE_"))}
        return {
            **kept,
            "LEADLINE_HOME": str(home),
            "TMPDIR": str(self.temporary),
            "LEADLINE_EMBEDDINGS_MODEL": "none",
            "LEADLINE_SEARCH_SERVICES": str(CLOSED),
            "LEADLINE_MODEL": "test-model",
            "LEADLINE_ONE_CALL_TOKENS": "0",
            "LEADLINE_FIRST_TOKEN_TIMEOUT": "120",  # a busy machine is silent, too, and a call is then made again
            "LEADLINE_TOKEN_TIMEOUT": "120",
            "LEADLINE_MCP": str(self.folder / "mcp.json"),
            "LEADLINE_SANDBOX_PYTHON": str(self.folder / "python"),
            "LEADLINE_ALLOW_PRIVATE_HOSTS": self.pages.host,
            "OPENAI_API_KEY": self.model.key,
            "OPENAI_BASE_URL": self.model.base_url,
            "TAVILY_API_KEY": self.tavily.key,
            "TAVILY_BASE_URL": self.tavily.base_url,
        }

    def _observed(self, label: str, reply: Reply) -> Reply:
        self.note(label, "asked")
        reply.sent = lambda phase: self.note(label, phase)
        return reply

    def answer_model(self, request: Request) -> Reply:
        """Answer a model call, and log it; what is asked about the server itself is no call."""
        if request.path != "/v1/chat/completions":
            return self.model.answer(request)
        return self._observed(_label(request.body), self.model.answer(request))

    def answer_search(self, request: Request) -> Reply:
        what = f"search {request.body['query']}" if "query" in request.body else f"extract {request.body['urls']}"
        return self._observed(what, self.tavily.answer(request))


def _label(body: dict[str, Any]) -> str:
    role = role_of(body)
    if role != "researcher" or f'<step title="{TOOL_STEP}"' not in body["messages"][1]["content"]:
        return role
    return "researcher with results" if body["messages"][-1]["role"] == "tool" else "researcher with tools"


def _think(body: dict[str, Any]) -> Reply | str | None:
    """Return what the script says to a request; None leaves it to the stub model."""
    label = _label(body)
    if label == "researcher":
        return json.dumps({**json.loads(think(label, body)), "queries": NEXT})
    if label == "reporter":
        return think(label, body).replace("1872", "1899")  # for the editor to see
    answers: dict[str, Reply | str] = {
        "planner": PLAN.model_dump_json(),
        "researcher with tools": completion(body, "", calls=[(TOOL, "{}")]),
        "researcher with results": json.dumps(COUNTED),
        "coder": json.dumps({"description": "adds up", "code": CODE}),
        "reflector": Reflection(has_enough_context=True, confidence=1).model_dump_json(),
    }
    return answers.get(label)


@contextmanager
def world(folder: Path) -> Iterator[World]:
    """Serve all far ends until the block ends.

    Args:
        folder: for the files that tool and program leave lines in.
    """
    with site() as pages:
        made = World(folder, OpenAIServer(choose=_think), TavilyServer(), pages)
        for path, (query, title, sentence) in PAGES.items():
            _put_up(made, path, title, sentence)
            made.tavily.by_query[query] = [page(pages.url(path), title, None, snippet=sentence[:40])]
        _lay_out(made)
        made.begin()
        with serving(made.answer_model) as model, serving(made.answer_search) as tavily:
            made.model.base_url, made.tavily.base_url = f"{model}/v1", tavily
            yield made


def _put_up(made: World, path: str, title: str, sentence: str) -> None:
    html = f"<html><head><title>{title}</title></head><body><article><h1>{title}</h1><p>{sentence}</p></article></body></html>"
    body = html.encode()

    async def stream(writer: Any) -> None:
        made.note(f"page {path}", "asked")
        half = len(body) // 2
        writer.write(body[:half])
        await writer.drain()
        made.note(f"page {path}", "half")
        writer.write(body[half:])
        await writer.drain()
        made.note(f"page {path}", "answered")

    made.pages.pages[path] = Answer(headers={"Content-Length": str(len(body))}, stream=stream)


def _lay_out(made: World) -> None:
    """Write the documents, the file that names the server of the tool, and a Python that counts the programs it runs."""
    made.temporary.mkdir()
    (made.folder / "papers").mkdir()
    (made.folder / "papers" / "notes.md").write_text("# Notes\n\nThe crew counted 2 casts of the lead.\n")
    pump = {
        "command": sys.executable,
        "args": ["-P", str(PROJECT / "tests" / "fakes" / "mcp_server.py"), "pump"],
        "env": {"COUNTED": str(made.tool_calls), "SAYS": "The pump counted one cast in all."},
    }
    (made.folder / "mcp.json").write_text(json.dumps({"mcpServers": {"pump": pump}}))
    own = PROJECT / ".venv-sandbox" / "bin" / "python"
    python = own if own.exists() else Path(sys.executable)
    shim = made.folder / "python"
    shim.write_text(
        f"#!/bin/sh\ngrep -qs 'counted by the shim' main.py && echo run >> '{made.code_runs}'\nexec '{python}' \"$@\"\n"
    )
    shim.chmod(0o755)
