"""Reports that have something of everything, as the reporter writes them."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from langgraph.store.memory import InMemoryStore

from schemas.evidence import Contradiction, Excerpt, Source
from schemas.reporter import Report
from schemas.usage import Usage
from services.reports.bundle import write_bundle
from services.reports.markdown import ReportInputs, finish_report
from services.reports.markdown_blocks import read_draft
from services.run.evidence_store import EvidenceStore, content_hash
from services.text.copies import fingerprint
from services.text.normal_form import normalise_text
from tests.fakes.excerpts import whole

ENGLISH = [
    "On 23 March 1875 HMS Challenger sounded 4,475 fathoms near Guam, which is 8,184 metres.",
    "HMS Challenger II found 10,863 metres in 1951 with explosives and a stopwatch.",
    "The Vityaz reported 11,034 metres in 1957, a figure that nobody has found again.",
    "A multibeam survey gave 10,994 metres in 2010, with an uncertainty of 40 metres.",
    "By 2023 mapped sea floor was 24.9 percent, and 75.1 percent had not been mapped.",
    "Sound travels at about 1,500 metres a second in sea water, so depth is half the time times the speed.",
]
CHINESE = [
    "1875年3月23日，英国“挑战者”号在关岛附近测得4475英寻，即8184米。",
    "1951年，“挑战者二号”用炸药和秒表测得10863米。",
    "1957年，苏联“勇士”号报告了11034米，此后再没有人得到这个数字。",
    "2010年的多波束测量得到10994米，不确定度为40米。",
    "到2023年，已测绘的海底为24.9%，尚未测绘的为75.1%。",
    "声音在海水中的速度约为每秒1500米，因此深度等于时间的一半乘以速度。",
]


ARABIC = """# ما هو عمق تشالنجر ديب؟

## الجواب

يبلغ العمق 10,994 مترا في عام 2010 [1].

| السفينة | العام |
|---|---|
| تشالنجر | 1875 [1] |
"""
WIDE_HEAD = [
    "Vessel",
    "Year of sounding",
    "Ocean",
    "Fathoms",
    "Metres",
    "Method",
    "Commander",
    "Institution",
    "Remarks",
]


def wide_table(rows: int) -> str:
    """Return a report in Markdown with a table wider than a page, whose last column cites."""
    cells = "HMS Challenger | 1873 | Pacific | 3862 | 7063 | rope | Thomson | Admiralty"
    lines = (
        f"| {cells} | remark{row} as he hauled the lead back from the bottom of the sea [1] |" for row in range(rows)
    )
    return "\n".join(["# Depths", "", "## Soundings", "", f"| {' | '.join(WIDE_HEAD)} |", "|---" * 9 + "|", *lines, ""])


def chart(**changes: Any) -> str:
    """Return a chart as the reporter writes it."""
    fields = {
        "type": "bar",
        "title": "Greatest depth measured",
        "unit": "metres",
        "categories": ["1875", "1951", "1957", "2010"],
        "series": [{"name": "depth", "values": [8184, 10863, 11034, 10994]}],
        "sources": ["E1-1", "E1-2", "E1-3", "E1-4"],
        **changes,
    }
    return f"```chart\n{json.dumps(fields, ensure_ascii=False)}\n```"


def evidence(texts: list[str], **changes: Any) -> tuple[list[Excerpt], dict[str, Source]]:
    """Make a source of each text, and one excerpt that quotes all of it."""
    excerpts, sources = [], {}
    for place, text in enumerate(map(normalise_text, texts), 1):
        key = content_hash(text)
        web = place % 2 == 1
        fields = {
            "url": f"https://example.org/depth/{place}?a=1&b=2" if web else f"papers/{place}.md",
            "title": f"Source {place}" if text.isascii() else f"来源 {place}",
            "kind": "web" if web else "document",
            "content_hash": key,
            "fetched_at": "2026-03-01T12:00:00Z",
            "fingerprint": fingerprint(text),
            **changes,
        }
        sources[key] = Source(**fields)
        excerpts.append(whole(text, f"E1-{place}", key))
    return excerpts, sources


def english(**changes: Any) -> Report:
    """Return a report in English with everything in it."""
    pie = chart(
        type="pie", title="Mapped and unmapped", unit="percent", categories=["mapped", "not mapped"],
        series=[{"values": [24.9, 75.1]}], sources=["E1-5"],
    )  # fmt: skip
    body = f"""# The Challenger Deep is about 11 kilometres deep, and each age measured it anew

**TL;DR** A multibeam survey gave 10,994 metres in 2010 [E1-4]. HMS Challenger sounded 4,475 fathoms near Guam in 1875 [E1-1].

## Conclusion

HMS Challenger II found 10,863 metres in 1951 [E1-2]. The Vityaz reported **11,034 metres** in 1957 [E1-3]. The trench holds 99,999 treasure chests [E1-1].

## Evidence

1. The survey had an uncertainty of 40 metres [E1-4].
2. HMS Challenger sounded 8,184 metres [E1-1].

> The Vityaz reported 11,034 metres in 1957, a figure that nobody has found again. [E1-3]

### Measurements compared

| Ship | Year | Metres |
|---|---|---:|
| HMS Challenger | 1875 | 8,184 [E1-1] |
| HMS Challenger II | 1951 | 10,863 [E1-2] |
| Vityaz | 1957 | 11,034 [E1-3] |

{chart()}

{pie}

## How sound measures depth

Depth is half the time times the speed of sound in sea water, $d = \\frac{{v t}}{{2}}$ [E1-6].

$$d = \\frac{{v \\cdot t}}{{2}}$$

```mermaid
graph LR; ping --> echo; echo --> depth
```
"""
    beside = {
        "contradictions": [Contradiction(topic="greatest depth", excerpt_ids=["E1-3", "E1-4"], differs="numbers")],
        "missing_aspects": ["who listened to the echo"],
        "follow_up_questions": ["Why did nobody find the figure of 1957 again?"],
        "opening": "Do not dive alone.",
    }
    return report_of(body, ENGLISH, "How deep is the Challenger Deep?", **{**beside, **changes})


def english_from(markdown: str, **changes: Any) -> Report:
    """Return the report in English with this text, as an earlier version stored it: without a tree."""
    return english().model_copy(update={"document": None, "markdown": markdown, **changes})


def chinese(**changes: Any) -> Report:
    """Return a report in Chinese with everything in it."""
    bars = chart(
        title="历次测得的最大深度",
        unit="米",
        categories=["1875年", "1951年", "1957年", "2010年"],
        series=[{"name": "深度", "values": [8184, 10863, 11034, 10994]}],
    )
    pie = chart(
        type="pie",
        title="海底测绘进展",
        unit="%",
        categories=["已测绘", "尚未测绘"],
        series=[{"values": [24.9, 75.1]}],
        sources=["E1-5"],
    )
    body = f"""# 挑战者深渊的深度：每个时代都重新测量了一次

**TL;DR** 2010年的多波束测量得到10994米，不确定度为40米 [E1-4]。“挑战者”号在关岛附近测得8184米 [E1-1]。

## 结论

1951年，“挑战者二号”用炸药和秒表测得10863米 [E1-2]。1957年，苏联“勇士”号报告了11034米 [E1-3]。海沟中有99999个宝箱 [E1-1]。

## 证据

1. 2010年的多波束测量得到10994米 [E1-4]。
2. 到2023年，已测绘的海底为24.9% [E1-5]。

> 1957年，苏联“勇士”号报告了11034米，此后再没有人得到这个数字。 [E1-3]

### 各次测量的比较

| 船名 | 年份 | 深度（米） |
|---|---|---:|
| 挑战者 | 1875年 | 8184米 [E1-1] |
| 挑战者二号 | 1951年 | 10863米 [E1-2] |
| 勇士 | 1957年 | 11034米 [E1-3] |

{bars}

{pie}

## 声音如何测深

深度等于时间的一半乘以速度，$d = \\frac{{v t}}{{2}}$ [E1-6]。

$$d = \\frac{{v \\cdot t}}{{2}}$$

```mermaid
graph LR; 声波 --> 回声; 回声 --> 深度
```
"""
    beside = {
        "contradictions": [Contradiction(topic="最大深度", excerpt_ids=["E1-3", "E1-4"], differs="numbers")],
        "missing_aspects": ["是谁听到了回声"],
        "follow_up_questions": ["为什么没有人再测到1957年的数字？"],
        "opening": "请勿独自下潜。",
    }
    return report_of(body, CHINESE, "挑战者深渊有多深？", "zh-CN", **{**beside, **changes})


def report_of(
    body: str, texts: list[str], question: str = "How deep is it?", locale: str = "en-US", **changes: Any
) -> Report:
    """Return a report whose draft cites these texts, each as a source of its own, as E1-1 and so on."""
    excerpts, sources = evidence(texts)
    blocks = read_draft(body, {excerpt.id: excerpt for excerpt in excerpts})
    draft = ReportInputs(question, locale, "", blocks, excerpts, sources)
    return finish_report(replace(draft, **changes), Usage())


async def bundle_of(report: Report, folder: Path, texts: Iterable[str] = (*ENGLISH, *CHINESE)) -> Path:
    """Write the bundle of a report about these texts."""
    store = EvidenceStore(InMemoryStore())
    for text in texts:
        await store.put_text(text)
    await write_bundle(report, folder, store)
    return folder
