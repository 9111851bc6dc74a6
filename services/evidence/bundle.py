"""The evidence bundle: a report's folder, with everything that proves it, and the offline check of one.

    <folder>/report.md
    <folder>/evidence.json          see `FORMAT_VERSION`
    <folder>/sources/<hash>.txt     texts of sources, by content hash
    <folder>/artifacts/<name>       files that steps made
"""

import asyncio
import hashlib
import json
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from schemas.evidence import Claim, Excerpt, Source
from schemas.reporter import Report
from services.errors import BundleError
from services.evidence.citations import unsupported_reason
from services.evidence.locate import locate
from services.evidence.store import EvidenceStore

FORMAT_VERSION = 1
_CITATION = re.compile(r"\[\[(\d+)\]\]\(([^)\s]*)\)")
_HASH = re.compile(r"[0-9a-f]{64}")


async def write_bundle(report: Report, folder: Path, evidence: EvidenceStore) -> None:
    """Write a report's folder; each file appears whole or not at all, `report.md` last.

    Raises:
        StoreError: a source's text is not in the store.
    """
    texts = {source.content_hash: await evidence.get_text(source.content_hash) for source in report.sources}
    files = {f"sources/{key}.txt": text.encode() for key, text in texts.items()}
    for artifact in report.artifacts:
        name = re.sub(r"[^\w.-]+", "-", artifact.name).strip(".-") or "file"
        files[f"artifacts/{artifact.id}-{name}"] = await evidence.get_bytes(artifact.content_hash)
    files["evidence.json"] = json.dumps(_content(report), ensure_ascii=False, indent=1).encode() + b"\n"
    files["report.md"] = report.markdown.encode()
    await asyncio.to_thread(_write_all, folder, files)


def _content(report: Report) -> dict[str, Any]:
    dumped = report.model_dump(mode="json")
    return {
        "version": FORMAT_VERSION,
        "question": report.question,
        "title": report.title,
        "report_sha256": hashlib.sha256(report.markdown.encode()).hexdigest(),
        "sources": [
            {**{key: value for key, value in source.items() if key != "fingerprint"}, "text": f"sources/{source['content_hash']}.txt"}
            for source in dumped["sources"]
        ],
        "excerpts": dumped["excerpts"],
        "claims": dumped["citations"],
        **{key: dumped[key] for key in ("plans", "results", "contradictions", "follow_up_questions", "limits", "usage", "artifacts")},
    }


def _write_all(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=place.parent, prefix=".writing-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).chmod(0o644)
            Path(temporary).replace(place)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    kept = {(folder / name).name for name in files if name.startswith("sources/")}
    for old in (folder / "sources").glob("*.txt"):
        if old.name not in kept:
            old.unlink()


@dataclass(slots=True)
class BundleCheck:
    """What a check found."""

    checked: dict[str, int] = field(default_factory=dict)
    """How many sources, quotes, claims and citations were checked."""
    problems: list[str] = field(default_factory=list)
    """What does not hold, each with the id of what it is about."""


def verify_bundle(folder: Path) -> BundleCheck:
    """Check a bundle offline: texts against their hashes, quotes against texts, claims against quotes, citations against sources.

    Raises:
        BundleError: the folder or a file that every bundle has is missing, or `evidence.json` cannot be read at all.
    """
    content, markdown = _load(folder)
    check = BundleCheck()
    try:
        sources = [Source.model_validate({key: value for key, value in one.items() if key != "text"}) for one in content["sources"]]
        excerpts = [Excerpt.model_validate(one) for one in content["excerpts"]]
        claims = [Claim.model_validate(one) for one in content["claims"]]
        question = str(content["question"])
    except (KeyError, TypeError, AttributeError, ValidationError) as error:
        raise BundleError(f"{folder / 'evidence.json'} is not of version {FORMAT_VERSION}'s form: {' '.join(str(error).split())[:200]}") from None
    texts = _check_texts(folder, sources, check)
    _check_quotes(excerpts, {one.id: one for one in sources}, texts, check)
    _check_claims(claims, {one.id: one for one in excerpts}, {one.id: one for one in sources}, question, check)
    _check_citations(markdown, sources, check)
    if hashlib.sha256(markdown).hexdigest() != content.get("report_sha256"):
        check.problems.append("report.md: it is not the text that the evidence was written for (report_sha256)")
    return check


def _load(folder: Path) -> tuple[dict[str, Any], bytes]:
    if not folder.is_dir():
        raise BundleError(f"There is no folder {folder}. Name the folder of a report, the one that holds evidence.json.")
    try:
        markdown = (folder / "report.md").read_bytes()
        content = json.loads((folder / "evidence.json").read_bytes())
    except OSError as error:
        raise BundleError(f"{error.filename} cannot be read ({error.strerror}). A report's folder holds report.md and evidence.json.") from None
    except ValueError as error:
        raise BundleError(f"{folder / 'evidence.json'} is no valid JSON ({error}).") from None
    if not isinstance(content, dict) or content.get("version") != FORMAT_VERSION:
        raise BundleError(f"{folder / 'evidence.json'} is not of version {FORMAT_VERSION}, the one that this program reads.")
    return content, markdown


def _check_texts(folder: Path, sources: list[Source], check: BundleCheck) -> dict[str, str]:
    texts: dict[str, str] = {}
    for source in sources:
        if not _HASH.fullmatch(source.content_hash):
            check.problems.append(f"{source.id}: {source.content_hash[:80]!r} is no content hash")
            continue
        file = folder / "sources" / f"{source.content_hash}.txt"
        try:
            data = file.read_bytes()
        except OSError as error:
            check.problems.append(f"{source.id}: its text sources/{file.name} cannot be read ({error.strerror})")
            continue
        if hashlib.sha256(data).hexdigest() != source.content_hash:
            check.problems.append(f"{source.id}: its text sources/{file.name} was changed: it does not hash to its name")
            continue
        texts[source.id] = data.decode()
    check.checked["sources"] = len(sources)
    return texts


def _check_quotes(excerpts: list[Excerpt], sources: dict[str, Source], texts: dict[str, str], check: BundleCheck) -> None:
    for excerpt in excerpts:
        if excerpt.source_id not in sources:
            check.problems.append(f"{excerpt.id}: it quotes {excerpt.source_id}, and there is no such source")
        elif excerpt.source_id in texts and texts[excerpt.source_id][excerpt.start : excerpt.end] != excerpt.quote:
            check.problems.append(f"{excerpt.id}: its quote is not the text of {excerpt.source_id} from {excerpt.start} to {excerpt.end}")
    check.checked["quotes"] = len(excerpts)


def _check_claims(
    claims: list[Claim], excerpts: dict[str, Excerpt], sources: dict[str, Source], question: str, check: BundleCheck
) -> None:
    for place, claim in enumerate(claims, 1):
        unknown = [one for one in claim.citations if one not in excerpts]
        if unknown:
            check.problems.append(f"claim {place}: it cites {', '.join(unknown)}, and there is no such excerpt")
            continue
        if not claim.verified:
            continue
        quotes = [excerpts[one].quote for one in claim.citations]
        cited = [sources[excerpts[one].source_id] for one in claim.citations if excerpts[one].source_id in sources]
        reason = unsupported_reason(claim.text, quotes, [one.title for one in cited], question) if quotes else "it cites nothing"
        if reason and not any(locate(claim.text, quote) for quote in quotes):
            check.problems.append(f"claim {place} ({claim.text[:60]!r}): it is called verified, and {reason}")
    check.checked["claims"] = len(claims)


def _check_citations(markdown: bytes, sources: list[Source], check: BundleCheck) -> None:
    by_id = {source.id: source for source in sources}
    found = _CITATION.findall(markdown.decode("utf-8", "replace"))
    for number, link in dict.fromkeys(found):
        source = by_id.get(f"S{number}")
        if source is None:
            check.problems.append(f"report.md: citation [[{number}]] resolves to no source")
        elif link not in {source.url, f"sources/{source.content_hash}.txt"} and not _same_address(link, source.url):
            check.problems.append(f"report.md: citation [[{number}]] links to {link[:80]}, not to {source.id}")
    check.checked["citations"] = len(found)


def _same_address(link: str, url: str) -> bool:
    from urllib.parse import unquote

    return url.startswith(("http://", "https://")) and unquote(link) == unquote(url)
