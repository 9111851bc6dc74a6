"""The evidence bundle: a report's folder, with everything that proves it.

    <folder>/report.md
    <folder>/evidence.json          its form is `docs/evidence.schema.json`
    <folder>/sources/02-title.txt   texts of sources that the report links to, by number and title; the others end in .txt.gz
    <folder>/artifacts/<hash>-<name>  files that steps made

`bundle_files.py` reads one, and `checking/bundle_check.py` checks it offline.
"""

import asyncio
import contextlib
import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from schemas.reporter import Report
from services.reports.bundle_files import (
    FORMAT_VERSION,
    MAX_EVIDENCE_BYTES,
    read_inside,
    recorded_exports,
    seal,
    text_file,
)
from services.reports.checking.bundle_check import verify_bundle
from services.reports.checking.bundle_result import BundleCheck
from services.reports.checking.written_text import digests_of
from services.reports.document import within
from services.reports.markdown_blocks import read_markdown
from services.reports.references import artifact_path
from services.run.errors import StoreUnwritable
from services.run.evidence_store import EvidenceStore

__all__ = ["BundleCheck", "bundle_files", "verify_bundle", "write_bundle"]


async def write_bundle(
    report: Report, folder: Path, evidence: EvidenceStore, exports: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Write a report's folder; each file is written atomically, `report.md` last. The digests of `exports` that lie there are kept.

    Raises:
        StoreError: a source's text is not in the store.
        StoreUnwritable: the folder cannot be written.
    """
    files = await bundle_files(report, evidence, exports)
    await write_files(folder, files, report.run_id)
    await asyncio.to_thread(_remove_old_texts, folder, set(files))


async def bundle_files(
    report: Report, evidence: EvidenceStore, exports: Mapping[str, str] = MappingProxyType({})
) -> dict[str, bytes]:
    """Return the files of a report's folder by name, `report.md` last.

    Raises:
        StoreError: a source's text is not in the store.
    """
    files: dict[str, bytes] = {}
    texts: dict[str, str] = {}
    for source in report.sources:
        text = await evidence.get_text(source.content_hash)
        texts[source.id], data = await asyncio.to_thread(text_file, source, text)
        files[texts[source.id]] = data
    for artifact in report.artifacts:
        files[artifact_path(artifact)] = await evidence.get_bytes(artifact.content_hash)
    files["evidence.json"] = _json(await asyncio.to_thread(_content, report, texts, exports))
    files["report.md"] = report.markdown.encode()
    return files


async def write_exports(folder: Path, files: Mapping[str, bytes], writer: str = "") -> None:
    """Write files that were made of a report into its folder, as `write_files`, and record their digests in its `evidence.json`.

    Raises:
        StoreUnwritable: `evidence.json` cannot be read, or the folder cannot be written.
    """
    try:
        recording = await asyncio.to_thread(_recording, folder, files)
    except OSError as error:
        raise StoreUnwritable(str(folder), error.strerror) from None
    await write_files(folder, {**files, "evidence.json": recording}, writer)


def _recording(folder: Path, files: Mapping[str, bytes]) -> bytes:
    """Return `evidence.json` with the digests of files; its seal is made anew, but one that was broken stays so."""
    content = json.loads(read_inside(folder, "evidence.json", MAX_EVIDENCE_BYTES))
    is_sealed = content.get("evidence_sha256") == seal(content)
    made = {name: hashlib.sha256(data).hexdigest() for name, data in files.items() if name != "report.md"}
    content["exports"] = recorded_exports(content) | made
    return _json({**content, "evidence_sha256": seal(content)} if is_sealed else content)


def _json(content: Mapping[str, Any]) -> bytes:
    return f"{json.dumps(content, ensure_ascii=False, indent=1)}\n".encode(errors="surrogatepass")


async def write_files(folder: Path, files: Mapping[str, bytes], writer: str = "") -> None:
    """Write files by name below a folder, created if needed, in order, each atomically.

    The writer's id, such as a run's, is part of the names of temporary files, so that a killed writer reuses its files when it writes again,
    and parallel writers do not collide.

    Raises:
        StoreUnwritable: the folder cannot be written.
    """
    try:
        await asyncio.to_thread(_write_all, folder, files, hashlib.sha256(writer.encode()).hexdigest()[:8])
    except OSError as error:
        raise StoreUnwritable(str(folder), error.strerror) from None


def _content(report: Report, texts: Mapping[str, str], exports: Mapping[str, str]) -> dict[str, Any]:
    dumped = report.model_dump(mode="json", exclude={"sources": {"__all__": {"fingerprint", "number", "file"}}})
    ids = {source["content_hash"]: source["id"] for source in dumped["sources"]}
    record = ("plans", "reflections", "contradictions", "follow_up_questions", "usage", "limits", "prompts")
    content = {
        "version": FORMAT_VERSION,
        **{key: dumped[key] for key in ("question", "title", "locale", "run_id", "answered")},
        "sources": [_source(source, ids, texts) for source in dumped["sources"]],
        "excerpts": _excerpts_by_id(dumped["excerpts"], ids),
        "claims": [_known(claim, "cited_by", "likeness", "judgement") for claim in dumped["citations"]],
        "left_out": [_known(claim, "cited_by", "likeness", "judgement") for claim in dumped["left_out"]],
        **{key: dumped[key] for key in record},
        "document": dumped["document"],
        "deck": dumped["deck"],
        "results": [{**result, "excerpts": _excerpts_by_id(result["excerpts"], ids)} for result in dumped["results"]],
        "artifacts": [
            {**artifact.model_dump(mode="json"), "file": artifact_path(artifact)} for artifact in report.artifacts
        ],
        "report_sha256": hashlib.sha256(report.markdown.encode()).hexdigest(),
        "report_sentences": digests_of(part for block in read_markdown(report.markdown) for part in within(block)),
        "exports": dict(exports),
    }
    return {**content, "evidence_sha256": seal(content)}


def _source(source: Mapping[str, Any], ids: Mapping[str, str], texts: Mapping[str, str]) -> dict[str, Any]:
    """Return a source as in the file, without a card that says no more than its title, date and folder."""
    card = {key: value for key, value in source["card"].items() if value}
    given = {
        **source,
        "card": card if card.keys() - {"title", "published", "folder"} else None,
        "also_at": source["also_at"] or None,
        "known_from": source["known_from"] or None,
    }
    known = _known(given, "rendered", "untraced", "publication", "also_at", "known_from", "card")
    place = {"duplicate_of": ids.get(source["duplicate_of"]), "text": texts[source["id"]]}
    return {"id": source["id"], **known, **place}


def _excerpts_by_id(excerpts: list[dict[str, Any]], ids: Mapping[str, str]) -> list[dict[str, Any]]:
    """Name the sources of excerpts `S1`, `S2`, …, as in the file."""
    by_id = []
    for excerpt in excerpts:
        left_out = {key for key in ("confirmed_by", "heads", "page", "section") if not excerpt[key]}
        left_out |= {"id", "content_hash", "nodes"}
        rest = {key: value for key, value in excerpt.items() if key not in left_out}
        by_id.append({"id": excerpt["id"], "source_id": ids[excerpt["content_hash"]], **rest})
    return by_id


def _known(fields: Mapping[str, Any], *optional: str) -> dict[str, Any]:
    """Drop unknown optional fields."""
    return {key: value for key, value in fields.items() if key not in optional or value is not None}


def _remove_old_texts(folder: Path, names: set[str]) -> None:
    current = {folder / name for name in names}
    for old in (folder / "sources").glob("*.txt*"):
        if re.fullmatch(r"(?:[0-9a-f]{64}|\d{2,6}-.+)\.txt(\.gz)?", old.name) and old not in current:
            old.unlink()


def _write_all(folder: Path, files: Mapping[str, bytes], writer: str) -> None:
    for name, data in files.items():
        _write_whole(folder / name, data, writer)
    for place in {(folder / name).parent for name in files}:
        _sync_names(place)


def _write_whole(place: Path, data: bytes, writer: str) -> None:
    """Write a temporary file and rename it, so that readers never see a partial file."""
    place.parent.mkdir(parents=True, exist_ok=True)
    temporary = place.with_name(f".writing-{writer}-{place.name}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o644)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _sync_names(folder: Path) -> None:
    """Make a folder's new file names durable, if the system supports that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
