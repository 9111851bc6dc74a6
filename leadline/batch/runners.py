"""Runners of a batch: in this process, or on a server with LangGraph's API."""

import hashlib
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import httpx
from langgraph_sdk import get_client

from leadline.api import aresearch
from leadline.batch.questions import BatchQuestion
from leadline.runs.actions import aresume
from leadline.runs.output import slug_of
from leadline.runs.run_ids import new_run_id
from schemas.reporter import Report
from services.reports.checking.bundle import write_files
from services.run.errors import BadInput, LeadlineError, ServerGone
from services.run.settings import settings

GRAPH = "deep_research"


@dataclass(frozen=True, slots=True)
class LocalRunner:
    """Researches in this process."""

    out: Path | None
    """Folder of the reports; None writes no files."""
    choices: dict[str, Any]
    """Default choices of all runs."""

    def new_id(self, question: BatchQuestion) -> str:
        """Return an id that sorts by time."""
        return new_run_id()

    async def run(self, question: BatchQuestion, run_id: str, *, again: bool) -> Report:
        """Research a question, or continue its run.

        Raises:
            LeadlineError: with a message that says what to do.
        """
        if again:
            try:
                return await aresume(run_id, out=self.out)
            except BadInput:
                pass  # the earlier run was not recorded yet
        choices = {**self.choices, **question.choices}
        return await aresearch(question.question, docs=question.docs, out=self.out, run_id=run_id, **choices)


class ServerRunner:
    """Researches on a server; the thread id depends on the question, so that it is found again. Use with `async with`."""

    def __init__(self, url: str, out: Path, choices: dict[str, Any]) -> None:
        """Take the server's address and the common settings of all questions."""
        token = settings().leadline_token
        self._client = get_client(url=url, api_key=token.get_secret_value() if token else None)
        self._url = url
        self._out = out
        self._choices = choices

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    def new_id(self, question: BatchQuestion) -> str:
        """Return a thread id, which is the same for the same question of the same batch."""
        return str(
            uuid.UUID(bytes=hashlib.sha256(f"{self._out}\n{question.id}\n{question.question}".encode()).digest()[:16])
        )

    async def run(self, question: BatchQuestion, run_id: str, *, again: bool) -> Report:
        """Research a question in its thread; wait for a run that is already active there.

        Raises:
            ServerGone: the server cannot be reached.
            LeadlineError: the run failed; the message says why.
        """
        try:
            report = await self._report(question, run_id)
        except httpx.HTTPStatusError as error:
            raise LeadlineError(f"The server {self._url} refused: {error.response.text[:300]}") from None
        except httpx.HTTPError as error:
            raise ServerGone(
                f"The server {self._url} cannot be reached ({type(error).__name__}). Start it, then start the batch again: what is "
                "done stays done."
            ) from None
        return await self._written(report)

    async def _report(self, question: BatchQuestion, thread: str) -> Report:
        await self._client.threads.create(thread_id=thread, graph_id=GRAPH, if_exists="do_nothing")
        runs = await self._client.runs.list(thread, limit=1)
        values = (await self._client.threads.get_state(thread))["values"]
        if not (isinstance(values, dict) and values.get("report")) and not _alive(runs):
            context = {**self._choices, **question.choices, **({"documents": question.docs} if question.docs else {})}
            run = await self._client.runs.create(
                thread, GRAPH, input={"question": question.question}, context=context, durability="sync"
            )
            runs = [run]
        answer: Any = await self._client.runs.join(thread, runs[0]["run_id"]) if _alive(runs) else None
        state: Any = await self._client.threads.get_state(thread)
        if not state["values"].get("report"):
            status = (await self._client.runs.get(thread, runs[0]["run_id"]))["status"] if runs else "no run"
            raise LeadlineError(_why(answer) or f"Thread {thread} ended without a report ({status}).")
        return Report.model_validate(state["values"]["report"])

    async def _written(self, report: Report) -> Report:
        """Write the report; the texts of its sources stay in the server's store."""
        folder = self._out / slug_of(report.question)
        files = {"report.json": report.model_dump_json(indent=2).encode(), "report.md": report.markdown.encode()}
        await write_files(folder, files, report.run_id)
        return report.model_copy(update={"folder": str(folder)})


def _why(answer: Any) -> str:
    """Return a server's message about a failed run, if there is one."""
    error = answer.get("__error__") if isinstance(answer, dict) else None
    return str(error.get("message") or error.get("error") or "") if isinstance(error, dict) else ""


def _alive(runs: Any) -> bool:
    return bool(runs) and runs[0]["status"] in {"pending", "running"}
