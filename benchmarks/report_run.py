"""The measured process of `report.py`: one question researched, answered in one call, its report checked with planted errors.

A step that is done is not done again: the run goes on where it stopped, and answers that the journal has are not asked for again.
Requests and answers are kept as files. The templates of its own calls lie in `benchmarks/prompts`, in the form of the product's.
"""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from jinja2 import Environment
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import LLMResult
from langchain_core.tracers.context import register_configure_hook

from benchmarks.model import journal_of, roles_of
from benchmarks.planted import (
    BY_MODEL,
    Changes,
    by_code,
    by_model,
    checked,
    copies_of,
    figures_of,
    neighbours_of,
    right_statements,
    row_of,
)
from benchmarks.rendered_prompts import role_of
from benchmarks.report_files import report_text, statements_of, write_grading, write_rows
from leadline import aresearch
from leadline.runs.actions import aresume
from leadline.runs.store import Home, RunRecord, gatherings_of, open_home
from prompts import environment_of
from schemas.context import RunContext
from schemas.evidence import Excerpt, Passage, Source
from schemas.reporter import Report
from schemas.scoped import scoped
from services.models.chat import build
from services.models.endpoint import clients_open
from services.models.local_endpoint import settled
from services.models.structured_output import parse
from services.reports.rendering import to_draft
from services.run.roles import role_model
from services.run.scope import Run, working_for
from services.run.settings import settings

FOLDER = Path(__file__).with_name("prompts")
WRITER = "reporter"
"""The role whose model answers in one call, and writes planted errors."""
LONG = 3
"""Factor on that role's maximum number of output tokens, as for a whole report."""
_SOURCES = {path.stem: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
_TEMPLATES = environment_of({f"{stem}.md": source for stem, source in _SOURCES.items()}, Environment)


@dataclass(frozen=True, slots=True)
class Said:
    """An answer, and the tokens that it took."""

    text: str
    prompt_tokens: int
    output_tokens: int


def rendered(stem: str, **values: Any) -> list[BaseMessage]:
    """Render a template of the benchmark into a system message and a human message."""
    template = _TEMPLATES.get_template(f"{stem}.md")
    system, human = ("".join(template.blocks[block](template.new_context(values))) for block in ("system", "human"))
    return [SystemMessage(system.strip()), HumanMessage(human.strip())]


async def say(messages: list[BaseMessage], context: RunContext) -> Said:
    """Ask the model that writes the reports, in one call."""
    async with clients_open():
        with working_for(Run(context)):
            model = await settled(role_model(WRITER, context))
            message = await build(model, LONG * model.max_tokens, stream=True).ainvoke(messages)
    used = message.usage_metadata or {"input_tokens": 0, "output_tokens": 0}
    return Said(message.text, used["input_tokens"], used["output_tokens"])


@dataclass(slots=True, eq=False)  # langchain keeps handlers in sets
class Exchanges(BaseCallbackHandler):
    """Writes each request to a model, and its answer, into a folder."""

    folder: Path
    names: dict[UUID, str] = field(default_factory=dict)
    run_inline = True

    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **_: Any
    ) -> None:
        """Write a request, named by its number and role."""
        batch = messages[0]
        number = len(list(self.folder.glob("*.request.md"))) + 1
        self.names[run_id] = f"{number:04d}-{role_of(batch[0].text, _SOURCES) or 'other'}"
        text = "\n\n".join(f"##### {message.type}\n{message.text}" for message in batch)
        (self.folder / f"{self.names[run_id]}.request.md").write_text(text, "utf-8")

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """Write an answer beside its request."""
        text = "\n".join(each.text for batch in response.generations for each in batch)
        (self.folder / f"{self.names.pop(run_id, '0000-unknown')}.answer.md").write_text(text, "utf-8")


_exchanges: ContextVar[Exchanges | None] = ContextVar("exchanges", default=None)
register_configure_hook(_exchanges, inheritable=True)


def exchanges_kept(folder: Path) -> AbstractContextManager[object]:
    """Keep requests and answers of all model calls inside the block in a folder, after those that it holds."""
    folder.mkdir(parents=True, exist_ok=True)
    return scoped(_exchanges, Exchanges(folder))


async def researched(job: Mapping[str, Any]) -> None:
    """Research the question unless its home has a finished run of it."""
    async with open_home(settings().leadline_home) as home:
        record = next(iter(await home.records()), None)
    if record is None:
        choices = {"locale": job["locale"], "depth": job["depth"], "max_seconds": job["seconds"], **job["choices"]}
        await aresearch(job["question"], docs=[job["folder"]], search="documents", out=job["out"], **choices)
    elif record.status != "done":
        await aresume(record.id)


async def one_call(home: Home, record: RunRecord, report: Report, out: Path) -> dict[str, int]:
    """Let the same model answer in one call from the passages that the run quoted from; kept as `one_call.md`."""
    file, figures = out / "one_call.md", out / "one_call.json"
    if not figures.exists():
        found = await gatherings_of(home, record.id)
        views = passages_of(report.excerpts, found.passages, {source.content_hash: source for source in report.sources})
        asked = rendered("one_call", question=report.question, locale=report.locale, passages=views)
        said = await say(asked, record.context)
        file.write_text(said.text, "utf-8")
        counts = {"passages": len(views), "prompt_tokens": said.prompt_tokens, "output_tokens": said.output_tokens}
        figures.write_text(json.dumps(counts) + "\n", "utf-8")
    counted: dict[str, int] = json.loads(figures.read_text("utf-8"))
    return counted


def passages_of(
    excerpts: Sequence[Excerpt], passages: Sequence[Passage], sources: Mapping[str, Source]
) -> list[dict[str, Any]]:
    """Return the passages that hold excerpts, each once, by source and place; an excerpt that none holds stands for itself."""
    shown: dict[tuple[str, int, int], str] = {}
    for excerpt in excerpts:
        around = [passage for passage in passages if excerpt.lies_in(passage)]
        held = max(around, key=lambda passage: len(passage.text), default=None)
        if held is None:
            shown[excerpt.place] = excerpt.headed_quote
        else:
            shown[held.content_hash, held.start, held.end] = held.text
    return [
        {"number": number, "title": sources[key].title, "about": sources[key].card.about, "text": text}
        for number, ((key, _, _), text) in enumerate(sorted(shown.items()), 1)
    ]


async def planted(home: Home, record: RunRecord, report: Report, out: Path, wanted: int) -> dict[str, Any]:
    """Plant errors in the report, put it to the check, and write what became of them and of their neighbours.

    The model changes no rows of tables, which are left to code.
    """
    state: Any = await home.values(record)
    draft = to_draft(report.document.body) if report.document else ""
    excerpts = {excerpt.id: excerpt for excerpt in report.excerpts}
    right = right_statements(draft, report.citations)
    sentences = [statement for statement in right if " | " not in statement.claim.text]
    file = out / "planted_by_model.json"
    if sentences and not file.exists():
        views = [
            {"text": claim.text, "quotes": [excerpts[key].quote for key in claim.citations if key in excerpts]}
            for claim in (statement.claim for statement in sentences)
        ]
        asked = rendered("planted_errors", statements=views, each=-(-wanted // len(BY_MODEL)))
        answer = Changes.model_validate(parse((await say(asked, record.context)).text, Changes))
        file.write_text(answer.model_dump_json() + "\n", "utf-8")
    plants = by_code(right, excerpts, state["sources"])
    if sentences:
        plants += by_model(Changes.model_validate_json(file.read_text("utf-8")), sentences)
    checks = await asyncio.gather(*(checked(home, record, state, draft, copy) for copy in copies_of(plants, wanted)))
    rows = [row_of(plant, check) for check in checks for plant in check.plants]
    rows = write_rows(out / "planted.jsonl", rows, ("kind", "planted"))
    beside = [row for check in checks for row in neighbours_of(report, check)]
    write_rows(out / "neighbours.jsonl", [row for row in beside if row["end"] != "kept"], ("statement", "end"))
    return figures_of(rows, beside, checks)


async def answers(job: Mapping[str, Any]) -> dict[str, Any]:
    """Do every step that is not done yet, and return the figures."""
    out = Path(job["out"])
    with exchanges_kept(out / "prompts"):
        await researched(job)
        calls = await journal_of(settings().leadline_home)
        async with open_home(settings().leadline_home) as home:
            record = next(iter(await home.records()))
            report: Report = (await home.values(record))["report"]
            alone = await one_call(home, record, report, out)
            write_rows(out / "statements.jsonl", statements_of(report, calls), ("statement", "status"))
            text = report_text(report)
            (out / "report.txt").write_text(text, "utf-8")
            write_grading(out, job, text, (out / "one_call.md").read_text("utf-8"))
            with exchanges_kept(out / "prompts_planted"):
                errors = await planted(home, record, report, out, job["planted"]) if job["planted"] else {}
    return {"roles": roles_of(calls), "one_call": alone, "planted": errors, "excerpts": len(report.excerpts)}


def main() -> None:
    """Read a job from standard input and write its figures as the last line of standard output."""
    print(json.dumps(asyncio.run(answers(json.load(sys.stdin)))))


if __name__ == "__main__":
    main()
