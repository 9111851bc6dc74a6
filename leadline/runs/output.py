"""The output folder of a report, named by its question, and its files."""

import asyncio
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from leadline.runs.run_ids import evidence_in, holds_run
from schemas.context import OutputFormat
from schemas.regular_file import read_regular
from schemas.reporter import Report
from services.reports.bundle import write_bundle, write_exports
from services.reports.bundle_files import MAX_EXPORT_BYTES, exports_in, recorded_exports
from services.reports.formats import makeable_formats, render
from services.run.errors import BadInput
from services.run.evidence_store import EvidenceStore, file_hash
from services.run.ui_text import say
from services.text import normal_form

MAX_SLUG = 60


def slug_of(question: str) -> str:
    """Return a folder name for a question."""
    return normal_form.slug_of(question, MAX_SLUG, "report")


def check_writable(folder: Path) -> None:
    """Create the output folder and check that it is writable, before any work.

    Raises:
        BadInput: the folder cannot be written.
    """
    probe = folder / f".leadline-{os.getpid()}-{secrets.token_hex(4)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise BadInput(say("out_unwritable", folder=folder, reason=error.strerror)) from None


def report_folder(
    question: str, out: Path, begun: str | None = None, suffix: str = "", only_of: str = "", *, is_empty: bool = False
) -> Path:
    """Return the full path of the folder for the report of a question. Blocking.

    A folder of the same question is replaced, unless somebody has edited its report or it is not of the run `only_of`; that one
    and one of another question are left alone, and a number is added.

    Args:
        question: question of the report.
        out: parent folder of the reports.
        begun: folder that this run has started to write; an incomplete report cannot be recognised by its question.
        suffix: suffix after the question's words, such as `-version-1`.
        only_of: id of the only run whose folder may be replaced; empty for a new report, which replaces that of any.
        is_empty: whether the report shows no evidence: it replaces none that makes statements.
    """
    out = out.absolute()
    if begun is not None and Path(begun).absolute().parent == out and not (Path(begun) / "evidence.json").exists():
        return out / Path(begun).name
    name, number = f"{slug_of(question)}{suffix}", 1
    folder = out / name
    while (
        _holds_other(folder, question, only_of)
        or _is_edited(folder)
        or (is_empty and evidence_in(folder).get("claims"))
    ):
        number += 1
        folder = out / f"{name}-{number}"
    return folder


async def write_report(
    report: Report, folder: Path, evidence: EvidenceStore, formats: Sequence[OutputFormat] = ("md",)
) -> list[str]:
    """Write report, evidence, source texts and further formats into a folder, and return the names of the files with the report.

    Files of other formats there are deleted; those of an earlier version of the report are made anew, if they can be made here.

    Raises:
        StoreUnwritable: the folder cannot be written.
    """
    held = await asyncio.to_thread(exports_in, folder)
    of_run = await asyncio.to_thread(holds_run, folder, report.run_id)
    known, _ = await asyncio.to_thread(makeable_formats, held if of_run else ())
    await write_bundle(report, folder, evidence)
    for name in held.keys() - set(formats):
        await asyncio.to_thread((folder / held[name]).unlink, missing_ok=True)
    wanted = dict.fromkeys([*formats, *known])
    return ["report.md", *await write_formats(report, folder, [name for name in wanted if name != "md"])]


async def write_formats(report: Report, folder: Path, formats: Sequence[OutputFormat]) -> list[str]:
    """Write a report's files in formats into its folder, and return their names.

    Raises:
        SettingsError: a package or program that a format needs is not installed.
        StoreUnwritable: the folder cannot be written.
    """
    if not formats:
        return []

    files = await render(report, formats)
    await write_exports(folder, files, report.run_id)
    return list(files)


def _is_edited(folder: Path) -> bool:
    """Tell whether a report was changed after it was written: a file of it is not as recorded."""
    held = evidence_in(folder)
    if held.get("report_sha256") is None:
        return False
    recorded = {**recorded_exports(held), "report.md": held["report_sha256"]}
    try:
        return any(
            file_hash(read_regular(folder / name, MAX_EXPORT_BYTES)) != recorded.get(name)
            for name in ("report.md", *exports_in(folder).values())
        )
    except OSError:
        return False


def _holds_other(folder: Path, question: str, only_of: str) -> bool:
    held = evidence_in(folder) if folder.exists() else None
    return held is not None and (
        held.get("question") != question or held.get("run_id") != (only_of or held.get("run_id"))
    )
