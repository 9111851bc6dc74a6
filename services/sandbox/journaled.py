"""Runs code once: a run that the journal holds is not repeated."""

from collections.abc import Mapping
from datetime import UTC, datetime

from pydantic import BaseModel, Field

from schemas.clean_text import CleanText
from services.run.evidence_store import EvidenceStore, file_hash
from services.run.log import log
from services.run.private_paths import without_private
from services.run.scope import Run, current_run
from services.sandbox.sandbox import DEFAULT_SECONDS, MIN_SECONDS, Mode, Sandbox


class CodeRun(BaseModel):
    """The outcome of a program, as the journal keeps it."""

    ok: bool
    stdout: CleanText
    error: CleanText
    seconds: float
    at: str
    """ISO 8601, UTC."""
    mode: Mode = "isolated"
    artifacts: dict[str, str] = Field(default_factory=dict)
    """Files that it wrote: name and hash in the evidence store."""


async def run_code(
    code: str, files: Mapping[str, bytes], evidence: EvidenceStore, seconds: float = DEFAULT_SECONDS
) -> CodeRun:
    """Run a program with files, by plain name, for 5 to 300 seconds; store the files that it made, and count runs without isolation.

    Raises:
        SandboxRefused: this machine cannot isolate code.
    """
    ran = await _ran(code, files, evidence, seconds)
    current_run().count(unisolated_runs=ran.mode == "unsafe")
    return ran


async def _ran(code: str, files: Mapping[str, bytes], evidence: EvidenceStore, seconds: float) -> CodeRun:
    ran = await Sandbox().run(code, files=files, timeout=seconds)
    log("sandbox_run", ok=ran.ok, seconds=ran.seconds, mode=ran.mode, characters=len(code), files=len(ran.artifacts))
    return CodeRun(
        ok=ran.ok,
        stdout=ran.stdout,
        error=without_private(ran.error or ran.stderr),
        seconds=ran.seconds,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        mode=ran.mode,
        artifacts={name: await evidence.put_bytes(data) for name, data in sorted(ran.artifacts.items())},
    )


async def run_once(run: Run, code: str, files: Mapping[str, bytes], evidence: EvidenceStore) -> CodeRun:
    """Run a program in the sandbox for at most half of the time left, or return the recorded result of the same run."""

    async def work() -> CodeRun:
        return await _ran(code, files, evidence, min(DEFAULT_SECONDS, max(MIN_SECONDS, run.seconds_left / 2)))

    request = {"code": code, "files": {name: file_hash(data) for name, data in sorted(files.items())}}
    known = await run.journal.once("code", f"{len(code)} characters", request, CodeRun, work)
    run.count(code_runs=1, unisolated_runs=known.answer.mode == "unsafe")
    return known.answer
