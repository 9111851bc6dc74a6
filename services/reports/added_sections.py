"""The sections that the program adds to a report: where sources disagree, why statements are marked, and the programs of computations."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from schemas.clean_text import beginning, clean_line, clean_text
from schemas.coder import COPIED
from schemas.document import Block, Citation, Code, Inlines, Paragraph, Text
from schemas.evidence import NO_INPUT, Claim, Excerpt, Source, Status
from services.evidence.computation import Program
from services.evidence.literals import FINDINGS_FILE, QUOTES_FILE
from services.reports.labels import Labels
from services.reports.references import link_of
from services.reports.statuses import SIGNS, status_of
from services.run.ui_text import say

_ISO = re.compile(r"[12]\d{3}(?:-\d{2}(?:-\d{2})?)?")
MAX_LINES = 5
"""Maximum lines of a report's limits on its marked statements; `evidence.json` has all reasons."""
MAX_NAMED, MAX_BEGINNING = 3, 60
"""Maximum statements that a line names, and characters of each."""
MAX_SENTENCE = 120
"""Maximum characters of a statement that is named alone."""
LONGEST_SHOWN = 16
"""Maximum lines of a program that is shown in full."""
FIRST_LINES, LAST_LINES = 4, 8
"""First and last lines of a longer program that are shown: its description, and its end, which mostly holds the requested work."""
_LONGEST_REASON = 300
"""Maximum characters of a program's untraced numbers."""
_COMMENTS = {"python": "#", "sql": "--"}


def side_notes(sides: Sequence[Excerpt], sources: Mapping[str, Source], labels: Labels) -> list[str]:
    """Return the date of each of the contradicting excerpts in words; empty if it is not known.

    A copy counts as the source that it is cited as; sources are given by content hash.
    """
    cited = [sources[side.content_hash] for side in sides]
    dates = [sources.get(source.duplicate_of or "", source).published or "" for source in cited]
    return [
        (labels.newer if _newest(date, dates) else labels.published).format(date=date) if date else "" for date in dates
    ]


def _newest(date: str, dates: Sequence[str]) -> bool:
    """Tell whether a date is later than one of the others and earlier than none, as far as all are known: March may be before 3 March."""
    known = [match.group() for day in (date, *dates) if (match := _ISO.match(day))]
    if len(known) <= len(dates):
        return False
    own, *others = known
    pairs = [(own[: len(other)], other[: len(own)]) for other in others]
    return any(mine > other for mine, other in pairs) and not any(mine < other for mine, other in pairs)


def marked_sentences(claims: Iterable[Claim], labels: Labels) -> list[Inlines]:
    """Return lines on the marked statements: one a reason, that of most statements first, then one for all inferences."""
    unverified: dict[str, list[Claim]] = {}
    inferred: list[Claim] = []
    for claim in claims:
        if status_of(claim) == "inferred":
            inferred.append(claim)
        elif status_of(claim) == "unverified":
            unverified.setdefault(claim.reason, []).append(claim)
    groups = sorted(unverified.values(), key=len, reverse=True)
    room = MAX_LINES - bool(inferred)
    named = groups if len(groups) <= room else groups[: room - 1]
    items = [_item(group, labels) for group in named]
    if others := sum(map(len, groups[len(named) :])):
        state, sign = labels.words["unverified"], SIGNS["unverified"]
        items.append(labels.more_reasons.format(statements=labels.count(others), state=state, sign=sign))
    if inferred:
        items.append(_item(inferred, labels))
    return [(Text(item),) for item in items]


def why_marked(sentence: str, status: Status, reason: str, labels: Labels) -> str:
    """Return in words why a sentence is marked; without a reason, the meaning of the mark."""
    shown = beginning(sentence, MAX_SENTENCE)
    state = labels.words[status].capitalize()
    return str(labels.marked_sentence.format(state=state, sentence=shown, reason=reason or labels.meanings[status]))


def _item(group: Sequence[Claim], labels: Labels) -> str:
    """Return the number of statements, how the first of them begin, and the first one's reason."""
    status = status_of(group[0])
    room = MAX_SENTENCE if len(group) == 1 else MAX_BEGINNING
    beginnings = (beginning(claim.text.rstrip(".。"), room) for claim in group[:MAX_NAMED])
    named = labels.enumeration.join(labels.quoted.format(words=words) for words in beginnings)
    if len(group) > MAX_NAMED:
        named = labels.more_marked.format(sentences=named, count=len(group) - MAX_NAMED)
    line: str = labels.marked_group.format(
        statements=labels.count(len(group)),
        state=labels.words[status],
        sign=SIGNS[status],
        sentences=named,
        reason=group[0].reason or labels.meanings[status],
    )
    return line


def computations(
    sources: Iterable[Source], programs: Mapping[str, Program], labels: Labels, locale: str
) -> Iterator[Block]:
    """Yield the section's blocks for the cited ones of a report's numbered sources; programs are given by their content hash."""
    files = {QUOTES_FILE: labels.quotes_read, FINDINGS_FILE: labels.findings_read}
    for source in sources:
        program = programs.get(source.content_hash)
        if program is None:
            continue
        title = Text(" ".join((source.title or source.url).split()), frozenset({"strong"}))
        yield Paragraph((title, Text(" "), Citation(source.number or 0, link_of(source))))
        if program.reads:
            tables = labels.enumeration.join(clean_line(files.get(name, name)) for name in program.reads)
            yield Paragraph((Text(labels.tables_read.format(tables=tables)),))
        if source.untraced:
            what = [say("no_input", locale) if origin == NO_INPUT else origin for origin in source.untraced]
            key = "untraced" if source.without_input else "typed"
            reason = clean_line(labels.reasons[key].format(what=", ".join(what)[:_LONGEST_REASON]))
            yield Paragraph((Text(f"⚠ {reason}" if source.without_input else reason),))
        yield _code_block(program, link_of(source), labels)


def _code_block(program: Program, stored: str, labels: Labels) -> Code:
    """Return a program as a code block; the middle of a long program is omitted, and the lines at its end that only quote."""
    lines = clean_text(program.code).strip("\n").split("\n")
    if len(lines) > LONGEST_SHOWN:
        last = [line for line in lines[FIRST_LINES:] if COPIED not in line][-LAST_LINES:]
        left_out = len(lines) - FIRST_LINES - len(last)
        note = f"{_COMMENTS[program.language]} {labels.more_lines.format(count=left_out, file=stored)}"
        lines = [*lines[:FIRST_LINES], note, *last]
    return Code("\n".join(lines), program.language)
