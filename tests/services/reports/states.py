"""A report built by hand whose statements have the states that a test wants."""

from collections.abc import Sequence
from itertools import chain

from schemas.document import (
    Block,
    Citation,
    Document,
    Heading,
    Inlines,
    Listing,
    Mark,
    Paragraph,
    Quotation,
    Table,
    Text,
)
from schemas.evidence import Answered, Claim, Source, Status
from schemas.reporter import Report
from services.reports.added_sections import marked_sentences
from services.reports.document import letters
from services.reports.labels import labels_for
from services.reports.numbered_text import numbered_text
from services.reports.rendering import to_markdown
from services.reports.statuses import SIGNS
from services.run.evidence_store import content_hash
from tests.fakes.excerpts import whole

STATES: tuple[Status, ...] = ("quoted", "supported", "inferred", "unverified")
SENTENCES: dict[str, dict[Status, str]] = {
    "en-US": {
        "quoted": "The cable of 1866 lay 3,200 metres deep.",
        "supported": "In 1866 a cable lay at a depth of 3,200 metres.",
        "inferred": "The cable of 1866 lay deeper than any of the lakes that had been sounded.",
        "unverified": "The cable cost 77,777 guineas.",
    },
    "zh-CN": {
        "quoted": "1866年的电缆位于3200米深处。",
        "supported": "1866年，一条电缆铺设在3200米的深度。",
        "inferred": "1866年的电缆比此前测过的任何湖泊都深。",
        "unverified": "这条电缆花费了77777几尼。",
    },
}
REASONS: dict[str, dict[Status, str]] = {
    "en-US": {
        "inferred": "It follows from two statements: lakes were sounded to 400 metres, and the cable lay at 3,200.",
        "unverified": "Not in what it cites: 77,777.",
    },
    "zh-CN": {"inferred": "由两条论断推出：湖泊最深400米，电缆位于3200米。", "unverified": "所引内容中没有：77777。"},
}
TITLES = {"en-US": "The cable of 1866", "zh-CN": "1866年的电缆"}
OPENINGS = {"en-US": "Ask a sailor first.", "zh-CN": "请先询问水手。"}


def stated(
    locale: str,
    states: Sequence[Status] = STATES,
    *,
    answered: Answered = "yes",
    counts: bool = True,
    reasons: bool = True,
) -> Report:
    """Return a report of a summary, a paragraph, a list and a table, in each of which the statements stand in turn.

    Args:
        locale: `en-US` or `zh-CN`.
        states: of its statements, in order.
        answered: whether it answers its question.
        counts: whether its text has their counts, which earlier versions did not write.
        reasons: whether the check recorded why it marked them.
    """
    labels = labels_for(locale)
    text = SENTENCES[locale]["quoted"]
    key = content_hash(text)
    source = Source(
        number=1, url="https://example.org/cable", title="A cable", kind="web", content_hash=key,
        fetched_at="2026-03-01T12:00:00Z",
    )  # fmt: skip
    claims = [
        Claim(
            text=SENTENCES[locale][status],
            citations=["E1-1"],
            verified=status != "unverified",
            status=status,
            reason=REASONS[locale].get(status, "") if reasons else "",
        )
        for status in states
    ]
    said = [_sentence(claim) for claim in claims]
    paragraph = tuple(chain.from_iterable((*sentence, Text(" ")) for sentence in said))[:-1]
    rows = tuple(((Text(str(place)),), sentence) for place, sentence in enumerate(said, 1))
    summary = Paragraph((Text("TL;DR", frozenset({"strong"})), Text(" "), *paragraph))
    body: list[Block] = [
        Heading(1, (Text(TITLES[locale]),)),
        summary if claims else Paragraph((Text(labels.nothing_found),)),
        Heading(2, (Text(labels.conclusion),)),
    ]
    lists: list[Block] = [
        Paragraph(paragraph),
        Listing(tuple((Paragraph(sentence),) for sentence in said)),
        Table(((Text("#"),), (Text(labels.statement),)), rows, ("", "")),
    ]
    lines = tuple((Paragraph(line),) for line in marked_sentences(claims, labels))
    limits = (Heading(2, (Text(labels.limits),), "limits"), Listing(lines)) if lines else ()
    notes = (Quotation((Paragraph((Text(OPENINGS[locale]),)),)),)
    report = Report(
        title=TITLES[locale],
        question=TITLES[locale],
        locale=locale,
        answered=answered,
        markdown="",
        document=Document((*body, *(lists if claims else [])), notes, limits),
        sources=[source],
        excerpts=[whole(text, content_hash=key)],
        citations=claims,
        plans=[],
        results=[],
    )
    references = f"## {labels.references}\n\n1. [{source.title}]({source.url}) — {source.url}"
    markdown = f"{to_markdown(numbered_text(report, counts=counts))}\n\n{references}\n"
    return report.model_copy(update={"markdown": markdown})


def _sentence(claim: Claim) -> Inlines:
    mark = (Mark(claim.status, claim.reason, len(letters(claim.text))),) if claim.status in SIGNS else ()
    return (Text(f"{claim.text[:-1]} "), Citation(0, "", ("E1-1",), claim.status), Text(claim.text[-1]), *mark)


COUNTS = {
    ("en-US", "all"): "Answers the question: yes · every quote checked (2 statements: 1 quoted, 1 supported)",
    ("en-US", "near"): "Answers the question: partly · every quote checked (2 statements: 1 quoted, 1 supported)",
    ("en-US", "some"): (
        "Answers the question: yes · 2 of 4 statements backed by quotes (1 quoted, 1 supported, 1 inferred ‡, 1 unverified †)"
    ),
    ("en-US", "none"): "Answers the question: no · 0 of 2 statements backed by quotes (1 inferred ‡, 1 unverified †)",
    ("zh-CN", "all"): "已回答问题 · 引文均已核对（2 条论断：1 条引自原文，1 条有依据）",
    ("zh-CN", "near"): "部分回答了问题 · 引文均已核对（2 条论断：1 条引自原文，1 条有依据）",
    ("zh-CN", "some"): (
        "已回答问题 · 4 条论断中 2 条有引文支持（1 条引自原文，1 条有依据，1 条为推断 ‡，1 条未核实 †）"
    ),
    ("zh-CN", "none"): "未能回答问题 · 2 条论断中 0 条有引文支持（1 条为推断 ‡，1 条未核实 †）",
}
"""What a report says in its head, by its language and how it stands."""
