"""Converts a finished report back to its draft: numbers become excerpt ids, and the program's parts are removed."""

import re
from collections.abc import Mapping, Sequence

from schemas.evidence import Claim
from schemas.reporter import Report
from services.reports.counts_line import is_counts
from services.reports.document import letters
from services.reports.labels import labels_for
from services.reports.references import numbers_of
from services.reports.signs import without_signs
from services.reports.statuses import status_of

_RUN = re.compile(r"(?>(?:\[\[\d{1,6}\]\]\([^()\s]{0,4000}+\))+)")
_NUMBER = re.compile(r"\[\[(\d{1,6})\]\]")
_FENCE = re.compile(r"[ ]{0,3}(?:```|~~~)")


def cited_draft(report: Report) -> str:
    """Return a report's own text with excerpt ids: without counts, notes, marks and the program's sections."""
    numbers = numbers_of(report)
    claims = [(letters(claim.text), claim) for claim in report.citations]
    lines = [_with_ids(line, claims, numbers) for line in _own_lines(report)]
    return "\n".join(lines).strip()


def headings_of(markdown: str) -> list[str]:
    """Return the headings of a draft's sections, without the title."""
    return [line.lstrip("#").strip() for line in _unfenced(markdown.split("\n")) if re.match(r"#{2,6} ", line)]


def without_empty_headings(markdown: str) -> str:
    """Return a draft without the headings of sections, below the title, that hold nothing."""
    kept: list[str] = []
    level_below, filled, fences = 0, False, _fence_lines(markdown.split("\n"))
    for place, line in reversed(list(enumerate(markdown.split("\n")))):
        heading = None if place in fences else re.match(r"(#{1,6}) ", line)
        if heading is None:
            filled = filled or bool(line.strip())
        elif not filled and len(heading[1]) > 1 and level_below <= len(heading[1]):
            continue
        else:
            level_below, filled = len(heading[1]), False
        kept.append(line)
    return "\n".join(kept[::-1])


def _fence_lines(lines: Sequence[str]) -> frozenset[int]:
    """Return the places of the lines inside of code blocks."""
    inside, places = False, set[int]()
    for place, line in enumerate(lines):
        inside = inside is not bool(_FENCE.match(line))
        if inside:
            places.add(place)
    return frozenset(places)


def _own_lines(report: Report) -> list[str]:
    labels = labels_for(report.locale)
    added = {
        f"## {name}"
        for name in (
            *([labels.contradictions] if report.contradictions else []), labels.limits, labels.follow_up, labels.computations, labels.files, labels.references,
        )
    }  # fmt: skip
    lines = report.markdown.rstrip().split("\n")
    sections = [place for place, line in enumerate(lines) if line.startswith("## ")]
    end = len(lines)
    for place in reversed(sections):  # the program's sections are the last ones
        if lines[place].strip() not in added:
            break
        added.remove(lines[place].strip())  # the one above it of this name is the report's own
        end = place
    own: list[str] = []
    for line in lines[:end]:
        begins = not any(kept.strip() and not kept.startswith("# ") for kept in own)
        is_note = begins and line.startswith(">") and not _RUN.search(line)
        if not is_note and not is_counts(line.strip(" *_")):
            own.append(without_signs(line))
        elif own and not own[-1].strip():
            own.pop()
    return own


def _unfenced(lines: Sequence[str]) -> list[str]:
    """Return the lines outside of code blocks."""
    inside, unfenced = False, []
    for line in lines:
        if _FENCE.match(line):
            inside = not inside
        elif not inside:
            unfenced.append(line)
    return unfenced


def _with_ids(line: str, claims: Sequence[tuple[str, Claim]], numbers: Mapping[str, int]) -> str:
    """Convert runs of numbered links to the ids that the preceding sentences cite."""
    whole = letters(_RUN.sub("", line))
    parts: list[str] = []
    end = 0
    for run in _RUN.finditer(line):
        before = letters(_RUN.sub("", line[: run.start()]))
        cited = {int(number) for number in _NUMBER.findall(run.group())}
        parts += [line[end : run.start()], _ids(before, whole, cited, claims, numbers)]
        end = run.end()
    return "".join([*parts, line[end:]])


def _ids(
    before: str, whole: str, cited: set[int], claims: Sequence[tuple[str, Claim]], numbers: Mapping[str, int]
) -> str:
    """Return the ids behind a run of numbers: of the sentence before it, else of a sentence in its line, else of the source."""
    ending = [claim for text, claim in claims if text and before.endswith(text)]
    around = [claim for text, claim in claims if text and (text in whole or whole in text)]
    for found in (sorted(ending, key=lambda claim: -len(claim.text))[:1], around):
        ids = dict.fromkeys(key for claim in found for key in claim.citations if numbers.get(key) in cited)
        if ids:
            if len(found) == 1 and status_of(found[0]) == "inferred":
                return f" [inferred: {', '.join(ids)}]"
            return "".join(f"[{key}]" for key in ids)
    first = {number: key for key, number in reversed(list(numbers.items())) if number in cited}
    return "".join(f"[{first[number]}]" for number in sorted(first))


def own_text(report: Report) -> list[str]:
    """Return the lines of a report's own text with numbers as citations, such as `[2]`, without empty lines."""
    return [_NUMBER.sub(r"[\1]", _RUN.sub(_bare, line)) for line in _own_lines(report) if line.strip()]


def _bare(run: re.Match[str]) -> str:
    return "".join(f"[{number}]" for number in _NUMBER.findall(run.group()))
