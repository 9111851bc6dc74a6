"""A report built by hand whose statements have the states that a test wants."""

from collections.abc import Sequence

from schemas.evidence import Answered, Claim, Excerpt, Source, Status
from schemas.reporter import Report
from services.reports.counts_line import counts_line
from services.reports.labels import labels_for
from services.reports.marked_sentences import marked_sentences
from services.reports.signs import SIGNS
from services.run.evidence_store import content_hash

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
    locale: str, states: Sequence[Status] = STATES, *, answered: Answered = "yes", counts: bool = True
) -> Report:
    """Return a report of a summary, a paragraph, a list and a table, in each of which the statements stand in turn.

    Args:
        locale: `en-US` or `zh-CN`.
        states: of its statements, in order.
        answered: whether it answers its question.
        counts: whether its text has their counts, which earlier versions did not write.
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
            reason=REASONS[locale].get(status, ""),
        )
        for status in states
    ]
    shown = [_sentence(claim, source) for claim in claims]
    cells = "\n".join(f"| {place} | {sentence} |" for place, sentence in enumerate(shown, 1))
    parts = [
        f"# {TITLES[locale]}",
        counts_line(claims, answered, labels) if counts else "",
        f"> {OPENINGS[locale]}",
        f"**TL;DR** {' '.join(shown)}" if claims else labels.nothing_found,
        f"## {labels.conclusion}",
        " ".join(shown),
        "\n".join(f"- {sentence}" for sentence in shown),
        f"| # | {labels.statement} |\n| --- | --- |\n{cells}" if claims else "",
        f"## {labels.limits}\n\n" + "\n".join(marked_sentences(claims, labels)) if claims else "",
        f"## {labels.references}\n\n1. [{source.title}]({source.url}) — {source.url}",
    ]
    return Report(
        title=TITLES[locale],
        question=TITLES[locale],
        locale=locale,
        answered=answered,
        markdown="\n\n".join(part for part in parts if part) + "\n",
        sources=[source],
        excerpts=[Excerpt(id="E1-1", content_hash=key, quote=text, start=0, end=len(text))],
        citations=claims,
        plans=[],
        results=[],
    )


def _sentence(claim: Claim, source: Source) -> str:
    return f"{claim.text[:-1]} [[1]]({source.url}){claim.text[-1]}{SIGNS.get(claim.status, '')}"


COUNTS = {
    ("en-US", "all"): "Answers the question: yes · every quote checked (2 statements: 1 quoted, 1 supported)",
    ("en-US", "near"): "Answers the question: partly · every quote checked (2 statements: 1 quoted, 1 supported)",
    ("en-US", "some"): (
        "Answers the question: yes · 2 of 4 statements backed by quotes (1 quoted, 1 supported, 1 inferred, 1 unverified)"
    ),
    ("en-US", "none"): "Answers the question: no · 0 of 2 statements backed by quotes (1 inferred, 1 unverified)",
    ("zh-CN", "all"): "已回答问题 · 引文均已核对（2 条论断：1 条引自原文，1 条有依据）",
    ("zh-CN", "near"): "部分回答了问题 · 引文均已核对（2 条论断：1 条引自原文，1 条有依据）",
    ("zh-CN", "some"): ("已回答问题 · 4 条论断中 2 条有引文支持（1 条引自原文，1 条有依据，1 条为推断，1 条未核实）"),
    ("zh-CN", "none"): "未能回答问题 · 2 条论断中 0 条有引文支持（1 条为推断，1 条未核实）",
}
"""What a report says in its head, by its language and how it stands."""
