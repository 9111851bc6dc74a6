"""Reads a bundle from its folder: `evidence.json`, the report, and the texts of the sources, which are compressed unless the report links to them.

All is read within bounds of size and time, however much a hostile bundle holds.
"""

import errno
import gzip
import hashlib
import json
import os
import re
import shlex
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from schemas.deck import DeckPage
from schemas.document import Document
from schemas.evidence import Answered, Artifact, Claim, Contradiction, Excerpt, Source, by_content_hash
from schemas.options import OutputFormat
from schemas.planner import Plan
from schemas.regular_file import read_regular
from schemas.reporter import Report
from schemas.results import StepResult
from schemas.usage import Usage
from services.reports.formats import FORMATS
from services.reports.labels import labels_for
from services.reports.numbered_text import numbered_text
from services.reports.references import artifact_path, link_of, stored_text
from services.reports.rendering import to_markdown
from services.run.errors import BundleError, reason_of
from services.run.ui_text import say
from services.search.files.file_types import MAX_CHARACTERS
from services.text.held_numbers import missing_quantities

FORMAT_VERSION = 3
"""A field that is added to `docs/evidence.schema.json` needs no new version; one that is taken out, renamed or means something else does."""
READABLE = (1, 2, FORMAT_VERSION)
"""Supported versions: in 1 and 2, texts are named by their hashes; in 1, every text is uncompressed."""
MAX_REPORT_BYTES = 2_000_000
"""Maximum bytes of `report.md`; Leadline writes a fifth of that at most. Hostile Markdown takes 15 microseconds a byte to parse."""
MAX_EVIDENCE_BYTES = 20_000_000
MAX_EXPORT_BYTES = 200_000_000
"""Maximum bytes of a file that was made of a report."""
MAX_PLAIN_BYTES = 4 * MAX_CHARACTERS
"""Maximum bytes of a text: UTF-8 takes up to four for a character."""
_LATER_BYTES = bytes(range(0x80, 0xC0))
"""Bytes of UTF-8 with which no character begins."""
MAX_TEXTS_BYTES = 500_000_000
"""Maximum bytes of all texts of sources together, decompressed."""
MAX_ITEMS = {"claims": 5_000, "sources": 5_000, "excerpts": 20_000, "contradictions": 1_000, "artifacts": 1_000}
"""Maximum numbers of items in a bundle: many times what the longest report holds."""
MAX_CLAIM = 20_000
"""Maximum characters of a claim, which is a sentence or a row of a table."""

MAX_TEXT_BYTES = 50_000_000
"""Maximum bytes of a text that is stored compressed; larger ones stay uncompressed. A hostile bundle may hold a file that unpacks to terabytes."""
_HASH = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"sources/(?:(?P<hash>[0-9a-f]{64})|(?P<number>[0-9]{2,9})-[\w-]{1,80}+)\.txt(?P<packed>\.gz)?")
_GZIP = 31
"""zlib's parameter for gzip with the largest window."""


class StoredSource(Source):
    """A source as a bundle has it."""

    model_config = ConfigDict(extra="forbid")


class StoredArtifact(Artifact):
    """A file of a step, and where it lies."""

    file: str


class BundleContent(BaseModel):
    """The form of `evidence.json`."""

    version: int
    question: str
    title: str = ""
    locale: str = ""
    run_id: str = ""
    answered: Answered = ""
    sources: list[StoredSource]
    excerpts: list[Excerpt]
    claims: list[Claim]
    plans: list[Plan]
    results: list[StepResult]
    contradictions: list[Contradiction]
    follow_up_questions: list[str] = []
    usage: Usage
    limits: list[str]
    artifacts: list[StoredArtifact] = []
    document: Document | None = None
    """The report's text as a tree, with the excerpts and the status of each sentence; None in bundles of earlier versions."""
    deck: list[DeckPage] = []
    report_sha256: str
    report_sentences: list[str] = []
    exports: dict[str, str] = {}
    """SHA-256 of each file that was made of the report, by its name."""
    evidence_sha256: str = ""

    @property
    def by_rules(self) -> bool:
        """Whether no model wrote the report: a model reads its prompt."""
        total = self.usage.total
        return total.calls > 0 and not total.input_tokens


def read_bundle(folder: Path) -> tuple[dict[str, Any], BundleContent, bytes]:
    """Return `evidence.json` as raw and parsed data, and the bytes of the report.

    Raises:
        BundleError: the folder or a file that every bundle has is missing, or `evidence.json` cannot be read.
    """
    if not folder.is_dir():
        raise BundleError(say("verify_no_folder", folder=folder))
    if not any(os.path.lexists(folder / name) for name in ("report.md", "evidence.json")):
        if count := sum(1 for _ in folder.glob("*/evidence.json")):
            reports = f"{shlex.quote(str(folder))}/*"
            raise BundleError(say("verify_holds_reports", folder=folder, count=count, reports=reports))
        raise BundleError(say("verify_holds_no_report", folder=folder))
    file = folder / "evidence.json"
    try:
        report = read_inside(folder, "report.md", MAX_REPORT_BYTES)
        raw = json.loads(read_inside(folder, "evidence.json", MAX_EVIDENCE_BYTES))
    except OSError as error:
        raise BundleError(say("verify_unread", file=error.filename, reason=error.strerror)) from None
    except (ValueError, RecursionError) as error:
        raise BundleError(say("verify_no_json", file=file, reason=str(error)[:120])) from None
    if not isinstance(raw, dict) or raw.get("version") not in READABLE:
        raise BundleError(say("verify_version", file=file, versions=", ".join(map(str, READABLE))))
    check_size(file, raw)
    try:
        return raw, BundleContent.model_validate(by_content_hash(raw)), report
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BundleError(
            say("verify_form", file=file, version=raw["version"], where=where, reason=reason_of(first))
        ) from None


def read_report(folder: Path) -> Report:
    """Return the report of a bundle, without what only its run knows; its tree, if that says what its Markdown says, and its deck, if that has no other numbers.

    Raises:
        BundleError: as `read_bundle`.
    """
    _, content, markdown = read_bundle(folder)
    names = (BundleContent.model_fields.keys() & Report.model_fields.keys()) - {"version"}
    known = {name: getattr(content, name) for name in names}
    report = Report(
        **known, by_rules=content.by_rules, markdown=markdown.decode(errors="replace"), citations=content.claims
    )
    told = to_markdown(numbered_text(report))
    rest = report.markdown.removeprefix(told).strip()
    if not report.markdown.startswith(told) or (
        rest and not rest.startswith(f"## {labels_for(report.locale).references}")
    ):
        return report.model_copy(update={"document": None, "deck": []})
    shown = "\n".join(text for page in report.deck for text in (page.title, *(card.text for card in page.cards)))
    return report.model_copy(update={"deck": []}) if missing_quantities(shown, [report.markdown]) else report


def own_files(folder: Path) -> dict[str, bytes]:
    """Return the files of a bundle by name as they are, `report.md` last, without those that were made of it.

    Raises:
        BundleError: as `read_bundle`, or a file cannot be read or is named as no bundle names it.
    """
    _, content, markdown = read_bundle(folder)
    for source in content.sources:
        if not is_text_name(source):
            raise BundleError(say("verify_text_place", file=source.file[:100]))
    for artifact in content.artifacts:
        if artifact.file != artifact_path(artifact):
            raise BundleError(say("verify_artifact_place", id=artifact.id, file=artifact.file[:100]))
    names = [*(source.file for source in content.sources), *(artifact.file for artifact in content.artifacts)]
    try:
        files = {name: read_inside(folder, name, MAX_TEXTS_BYTES) for name in names}
        return {
            **files,
            "evidence.json": read_inside(folder, "evidence.json", MAX_EVIDENCE_BYTES),
            "report.md": markdown,
        }
    except OSError as error:
        raise BundleError(say("verify_unread", file=error.filename, reason=error.strerror)) from None


def check_size(file: Path, raw: Mapping[str, Any]) -> None:
    """Check that a bundle is small enough to be checked quickly.

    Raises:
        BundleError: a list or a statement is longer than its limit.
    """
    for name, limit in MAX_ITEMS.items():
        items = raw.get(name)
        if isinstance(items, list) and len(items) > limit:
            raise BundleError(say("verify_too_many", file=file, count=len(items), name=name, limit=limit))
    claims = raw.get("claims")
    for number, claim in enumerate(claims if isinstance(claims, list) else [], 1):
        text = claim.get("text") if isinstance(claim, dict) else None
        if isinstance(text, str) and len(text) > MAX_CLAIM:
            raise BundleError(say("verify_too_long", file=file, number=number, count=len(text), limit=MAX_CLAIM))


def read_inside(folder: Path, name: str, max_bytes: int) -> bytes:
    """Read a regular file below the folder.

    Raises:
        OSError: it is missing, no regular file or too large, or its name or a link leads outside; `strerror` says which.
    """
    place = folder / name
    try:
        real, inside = place.resolve(), folder.resolve()
        data = read_regular(real, max_bytes, follow=False) if real.is_relative_to(inside) else None
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(place)) from None
    except RuntimeError:  # Python up to 3.12 raises this for links in a circle
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(place)) from None
    except ValueError:  # a name with NUL
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), str(place)) from None
    if data is None:
        raise OSError(errno.EPERM, "it lies outside the folder", str(place))
    return data


def exports_in(folder: Path) -> dict[OutputFormat, str]:
    """Return the files that were made of a report and lie in its folder, by their formats."""
    return {name: made.file for name, made in FORMATS.items() if name != "md" and (folder / made.file).exists()}


def recorded_exports(raw: Mapping[str, Any]) -> dict[str, str]:
    """Return the digests of exported files that `evidence.json` records, whatever else it holds."""
    recorded = raw.get("exports")
    return recorded if isinstance(recorded, dict) else {}


def source_text(folder: Path, source: Source, room: int = MAX_TEXTS_BYTES) -> bytes:
    """Return the text of a source as bytes.

    Raises:
        BundleError: it cannot be read, or is longer than `room`, what is left of `MAX_TEXTS_BYTES`.
    """
    if not is_text_name(source):
        raise BundleError(say("verify_text_place", file=source.file[:100]))
    try:
        data = read_inside(folder, source.file, MAX_PLAIN_BYTES)
    except OSError as error:
        raise BundleError(say("verify_text_unread", file=source.file, reason=error.strerror)) from None
    text = unpacked(source.file, data)
    if len(text.translate(None, _LATER_BYTES)) > MAX_CHARACTERS:
        raise BundleError(say("verify_text_too_long", file=source.file, characters=MAX_CHARACTERS))
    if len(text) > room:
        raise BundleError(say("verify_texts_too_long", size=MAX_TEXTS_BYTES // 1_000_000))
    return text


def is_text_name(source: Source) -> bool:
    """Tell whether a source's text in a bundle lies where it belongs: by its number and name, or by its hash as in versions 1 and 2."""
    name = _NAME.fullmatch(source.file)
    linked = link_of(source) == stored_text(source)
    if name is None or not _HASH.fullmatch(source.content_hash) or (name["packed"] and linked):
        return False
    return name["hash"] == source.content_hash or name["number"] == f"{source.number or 0:02d}"


def text_file(source: Source, text: str) -> tuple[str, bytes]:
    """Return the name and bytes of a source's text file; the bytes depend only on the text."""
    plain = stored_text(source)
    data = text.encode()
    if link_of(source) == plain or len(data) > MAX_TEXT_BYTES:
        return plain, data
    return f"{plain}.gz", gzip.compress(data, mtime=0)


def unpacked(name: str, data: bytes) -> bytes:
    """Return the text in a bundle's file, as bytes.

    Raises:
        BundleError: the gzip file is incomplete, or unpacks to more than `MAX_TEXT_BYTES`.
    """
    if not name.endswith(".gz"):
        return data
    unpacking = zlib.decompressobj(_GZIP)
    try:
        text = unpacking.decompress(data, MAX_TEXT_BYTES + 1)
    except zlib.error as error:
        raise BundleError(say("verify_no_gzip", file=name, reason=error)) from None
    if len(text) > MAX_TEXT_BYTES:
        raise BundleError(say("verify_unpacked_too_long", file=name, size=MAX_TEXT_BYTES // 1_000_000))
    if not unpacking.eof or unpacking.unused_data:
        raise BundleError(say("verify_gzip_cut", file=name))
    return text


def seal(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the content of `evidence.json` except the seal, independent of its layout."""
    rest = {key: value for key, value in content.items() if key != "evidence_sha256"}
    text = json.dumps(rest, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


SECONDS = 60.0
"""Seconds after which a check ends. A report of 1,000 statements takes about ten."""
_Item = TypeVar("_Item")


class OutOfTime(Exception):
    """A check took longer than `SECONDS`."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Ends a check in time, however much a hostile bundle holds."""

    until: float = field(default_factory=lambda: time.monotonic() + SECONDS)

    def each(self, items: Iterable[_Item]) -> Iterator[_Item]:
        """Yield items while there is time.

        Raises:
            OutOfTime: no time is left.
        """
        for item in items:
            if time.monotonic() > self.until:
                raise OutOfTime
            yield item
