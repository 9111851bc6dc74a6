"""A report after the check says nothing that its citations do not support, and links to nothing."""

import json
from collections.abc import Mapping
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from schemas.evidence import Excerpt, Judged, Judgement
from services.reports.checking.bundle_check import is_verbatim
from services.reports.checking.checked_report import CheckedReport
from tests.services.reports.checking.conftest import check_citations, excerpts_of, marked

Excerpts = Mapping[str, Excerpt]
GOOD = "HMS Challenger sounded 4,475 fathoms near Guam [E2-1]."
GOOD_CHINESE = "要求到2030年小学生近视率下降到38%以下[E4-1]。"


def check(
    markdown: str, excerpts: Excerpts, unsupported: Literal["mark", "drop"] = "mark", locale: str = "en-US"
) -> CheckedReport:
    titles = {"source of E2-1": "Narrative of the Voyage of 1872 to 1876", "source of E4-1": "实施方案要点"}
    return check_citations(
        markdown, excerpts, titles=titles, unsupported=unsupported, locale=locale, question="How deep is it?"
    )


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("HMS Challenger sounded 4,475 fathoms. [E2-1]", "HMS Challenger sounded 4,475 fathoms [E2-1]."),
        ("HMS Challenger sounded 4,475 fathoms. [E2-1].", "HMS Challenger sounded 4,475 fathoms [E2-1]."),
        ("HMS Challenger sounded 4,475 fathoms.[E2-1, E3-2]", "HMS Challenger sounded 4,475 fathoms [E2-1][E3-2]."),
        ("HMS Challenger sounded 4,475 fathoms [E2-1], [E3-2].", "HMS Challenger sounded 4,475 fathoms [E2-1][E3-2]."),
        ("教育部等八部门印发了实施方案。【E4-1】", "教育部等八部门印发了实施方案[E4-1]。"),
    ],
)
def test_citations_are_understood_in_the_forms_that_models_write(written: str, shown: str, excerpts: Excerpts) -> None:
    checked = check(written, excerpts)
    assert checked.markdown == shown
    assert [claim.verified for claim in checked.claims] == [True]


def test_a_quote_with_code_keeps_its_lines_and_one_with_a_link_verifies() -> None:
    stored = "Call [the winch](https://a.example/winch):\n```mermaid\nif deep:\n    wind(9)\n```"
    quoted = excerpts_of({"E2-1": stored}, "a")
    code = "> ```\n> if deep:\n>     wind(9)\n> ```"
    checked = check(f"> Call the winch: [E2-1]\n>\n{code.replace('```', '```mermaid', 1)}", quoted)
    assert checked.markdown == f"> Call the winch: [E2-1]\n>\n{code}"
    assert [is_verbatim(claim, quoted) for claim in checked.claims] == [True, True]
    assert "†" in check(f"{code.replace('9', '8')}\n>\n> Call the winch: [E2-1]", quoted).markdown


def test_an_unknown_citation_is_removed_and_supports_nothing(excerpts: Excerpts) -> None:
    checked = check("HMS Challenger sounded 4,475 fathoms [E9-9]. It sounded near Guam [E2-1][E9-9].", excerpts)
    assert checked.markdown == "HMS Challenger sounded 4,475 fathoms†. It sounded near Guam [E2-1]."
    assert checked.claims[0].reason == "It cites E9-9, which does not exist."
    assert checked.claims[1].citations == ["E2-1"]


@pytest.mark.parametrize("invented", ["[1]", "[S1]", "[^2]", "【3†source】", "[E2]"])
def test_citations_in_invented_forms_are_removed(invented: str, excerpts: Excerpts) -> None:
    assert (
        check(f"HMS Challenger sounded near Guam {invented}[E2-1].", excerpts).markdown
        == "HMS Challenger sounded near Guam [E2-1]."
    )


def test_a_sentence_without_support_is_marked_with_the_reason_in_the_report_s_language(excerpts: Excerpts) -> None:
    checked = check(f"{GOOD_CHINESE}到2035年降到20%[E4-1]。{GOOD_CHINESE}", excerpts, locale="zh-CN")
    assert checked.markdown == f"{GOOD_CHINESE}到2035年降到20%[E4-1]†。{GOOD_CHINESE}"
    assert checked.claims[1].reason == "所引内容中没有：2035年, 20%。"
    assert (marked(checked), checked.left_out) == (1, [])


def test_a_sentence_without_support_is_dropped_when_that_is_wanted(excerpts: Excerpts) -> None:
    checked = check(
        f"# Depth\n\n## Fiction\n\nIt was 9,999 fathoms [E2-1].\n\n## Fact\n\n{GOOD} It sank.", excerpts, "drop"
    )
    assert checked.markdown == f"# Depth\n\n## Fact\n\n{GOOD}"
    assert (marked(checked), len(checked.left_out), len(checked.claims)) == (0, 2, 1)


@pytest.mark.parametrize(
    "exempt",
    [
        "## What was found",
        "Was the trench ever deeper?",
        "The sources do not say who paid for the voyage.",
        "现有证据没有说明具体方法。",
        "**TL;DR**",
        "结论：",
        "The ships were these:",
        "$$d = \\frac{c t}{2}$$",
        "**Narrative of the Voyage of 1872 to 1876** [E2-1]",
        "---",
    ],
)
def test_what_makes_no_claim_needs_no_citation(exempt: str, excerpts: Excerpts) -> None:
    checked = check(exempt, excerpts)
    assert checked.claims == []
    assert checked.markdown == exempt


@pytest.mark.parametrize(
    "smuggled",
    [
        "No evidence was found, but the crew mutinied.",
        "No evidence contradicts that 3,000 men died.",
        "没有找到资料，但船员曾经哗变。",
        "The captain of the ship was Nares:",
    ],
)
def test_a_claim_in_the_clothes_of_something_else_is_marked(smuggled: str, excerpts: Excerpts) -> None:
    checked = check(smuggled, excerpts)
    assert "†" in checked.markdown
    assert [claim.verified for claim in checked.claims] == [False]


@pytest.mark.parametrize(
    "hostile",
    [
        "[the site](https://evil.example/a)",
        '[the site](https://evil.example/a_(b) "title")',
        "[the [nested] site](https://evil.example)",
        "[the `site`](https://evil.example)",
        "![the site](https://evil.example/x.png)",
        "[![the site](https://evil.example/x.png)](https://evil.example)",
        "[the site][ref]\n\n[ref]: https://evil.example",
        "[the site]\n\n[the site]: https://evil.example",
        "<https://evil.example>",
        "https://evil.example/path?q=1",
        "www.evil.example/path",
        "evil.example.com/path/page",
        "<a href='https://evil.example'>the site</a>",
        "<img src=x onerror=alert(1)>",
        "<script>alert('https://evil.example')</script>",
        "<!-- https://evil.example -->",
        "[the site](javascript:alert(1))",
        "$x](https://evil.example)$",
        "[$x$](https://evil.example)",
        "`x` [y](https://evil.example) `z`",
        "[a\\](b](https://evil.example)",
        "<div>\n\n[the site](https://evil.example)\n\n</div>",
        "| a |\n|---|\n| [x](https://evil.example) [E2-1] |",
        "> [x](https://evil.example)",
        "# [x](https://evil.example)",
        "```html\n<a href='https://evil.example'>\n```",
        "[[E2-1]](https://evil.example)",
        "[\ue000E2-1\ue001](https://evil.example)",
    ],
)
def test_nothing_that_links_loads_or_runs_survives(hostile: str, excerpts: Excerpts) -> None:
    checked = check(f"{hostile}\n\n{GOOD}", excerpts)
    assert "evil.example" not in checked.markdown
    assert active(checked.markdown) == []
    assert GOOD in checked.markdown


def active(markdown: str) -> list[str]:
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    inner = [child.type for token in tokens for child in token.children or []]
    return [
        kind
        for kind in [*(token.type for token in tokens), *inner]
        if kind in {"link_open", "image", "html_block", "html_inline"}
    ]


PIECES = [
    *"[ ] ( ) ]( ![ <a> < > ` $ * _ \\ x https://evil.example [E2-1] E2-1 &lt; 。 ```".split(),
    *("\n", "\n\n", "> ", "- ", "| ", "# ", " ", "[r]: /u", "1. "),
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_no_mixture_of_markup_makes_a_link(markdown: str) -> None:
    quote = "HMS Challenger sounded 4,475 fathoms."
    excerpts = excerpts_of({"E2-1": quote}, "s")
    checked = check_citations(markdown, excerpts)
    assert active(checked.markdown) == []
    assert not set(checked.markdown) & set("\ue000\ue001\ue002\ue003")


def test_an_address_that_the_evidence_names_stays_as_code() -> None:
    quote = "The data lie at https://data.example/depths under a free licence."
    excerpts = excerpts_of({"E1-1": quote}, "s")
    checked = check_citations("The data lie at https://data.example/depths [E1-1].", excerpts)
    assert checked.markdown == "The data lie at `https://data.example/depths` [E1-1]."


def test_a_blockquote_becomes_the_stored_text_and_its_citation(excerpts: Excerpts) -> None:
    checked = check('> "HMS challenger sounded **4,475** fathoms" — Narrative, 1875 [E2-1]', excerpts)
    assert checked.markdown == "> HMS Challenger sounded 4,475 fathoms [E2-1]"
    assert checked.claims[0].verified


def test_a_blockquote_keeps_the_code_in_its_sentences() -> None:
    quote = "If a `lead = *true*` is **cast**, `|` and a ![`wind`](x.png) hold."
    excerpts = excerpts_of({"E1-1": quote}, "s")
    checked = check_citations("> If a lead = *true* is cast", excerpts)
    assert checked.markdown == "> If a `lead = *true*` is cast [E1-1]"
    assert checked.claims[0].text == "If a lead = *true* is cast"
    assert check_citations(f"> {quote}", excerpts).markdown.startswith("> If a lead = ")


def test_a_blockquote_is_found_without_or_with_a_wrong_citation(excerpts: Excerpts) -> None:
    assert check("> 每天户外活动两小时以上\n\n> replaced the hemp line [E2-1]", excerpts).markdown == (
        "> 每天户外活动两小时以上 [E4-2]\n\n> replaced the hemp line [E3-2]"
    )


def test_a_blockquote_that_is_not_verbatim_is_marked_or_dropped(excerpts: Excerpts) -> None:
    invented = "> HMS Challenger sounded 4,475 fathoms and found gold [E2-1]"
    marked = check(invented, excerpts)
    assert marked.markdown.endswith("found gold [E2-1]†")
    assert marked.claims[0].reason == "It is not a verbatim quote."
    assert check(invented, excerpts, "drop").markdown == ""


def test_a_table_row_is_one_claim(excerpts: Excerpts) -> None:
    table = "| Ship | Fathoms |\n| --- | --- |\n| HMS Challenger | 4,475 [E2-1] |\n| USS Tuscarora | 4,655 [E2-1] |"
    marked = check(table, excerpts)
    assert marked.markdown == f"{table[:-2]}† |"
    assert [claim.text for claim in marked.claims] == ["HMS Challenger | 4,475", "USS Tuscarora | 4,655"]
    assert check(table, excerpts, "drop").markdown == table.rsplit("\n", 1)[0]


def test_lists_keep_their_form_and_lose_what_fails(excerpts: Excerpts) -> None:
    written = f"1. {GOOD}\n2. It was green [E2-1].\n3. {GOOD}\n   - {GOOD_CHINESE}"
    assert check(written, excerpts, "drop").markdown == f"1. {GOOD}\n2. {GOOD}\n   - {GOOD_CHINESE}"


def test_code_that_the_evidence_does_not_have_line_by_line_is_judged_by_what_stands_above_it() -> None:
    stored = "Open the winch with `wind --open`.\n\n    wind --open\n    wind --down"
    quoted = excerpts_of({"E2-1": stored}, "a")
    verbatim, own = "```sh\nwind --open\n\nwind --down\n```", "```sh\nwind --shut\n```"
    lead = "The winch is opened with `wind --open` [E2-1]."
    assert check_citations(f"{lead}\n\n{verbatim}", quoted).undecided.keys() == check(lead, quoted).undecided.keys()
    statement = ("wind --shut", ("E2-1",))
    assert check_citations(f"{lead}\n\n{own}", quoted).undecided[statement].inferred
    assert check_citations(f"So it must be [inferred: E2-1].\n\n{own}", quoted).undecided[statement].inferred
    both = excerpts_of({"E2-1": stored, "E2-2": "The winch is shut by hand."}, "a")
    section = f"{lead}\n\n- It is shut by hand [E2-2].\n\nSo one does it:\n\n{own}"
    assert ("wind --shut", ("E2-1", "E2-2")) in check_citations(section, both).undecided
    assert check_citations(own, quoted).undecided == {}
    advised = check_citations(f"{lead}\n\n```sh\nwind --turns 70\n```", quoted)
    assert advised.undecided["wind --turns 70", ("E2-1",)].suspicion == "Not in what it cites: 70."
    assert "†" in advised.markdown
    verdicts: dict[Judged, str] = {"follows": own, "partly": f"{own}\n\n†", "contradicted": ""}
    for verdict, shown in verdicts.items():
        judged = check_citations(
            f"{lead}\n\n{own}", quoted, judgements={statement: Judgement(verdict=verdict, words="wind --open")}
        )
        assert judged.markdown == f"{lead}\n\n{shown}".strip()
        assert [claim.text for claim in judged.failed] == ([] if verdict == "follows" else ["wind --shut"])


def test_a_chart_is_judged_by_its_own_sources_and_not_by_what_stands_above_it() -> None:
    quotes = {"E2-1": "The winch was opened.", "E2-2": "Of the ropes 60 % were of hemp and 40 % of wire."}
    quoted = excerpts_of(quotes)
    series = {"name": "share", "values": [60, 40]}
    chart = {"type": "pie", "title": "Ropes", "unit": "%", "categories": ["hemp", "wire"], "series": [series]}
    written = json.dumps({**chart, "sources": ["E2-2"]})
    checked = check_citations(f"The winch was opened [E2-1].\n\n```chart\n{written}\n```", quoted)
    assert {ids for words, ids in checked.undecided if "Ropes" in words} == {("E2-2",)}


def test_a_wrapped_paragraph_is_joined_and_hard_breaks_stay(excerpts: Excerpts) -> None:
    assert (
        check("HMS Challenger sounded\n4,475 fathoms [E2-1].", excerpts).markdown
        == "HMS Challenger sounded 4,475 fathoms [E2-1]."
    )
    assert check("教育部等八部门\n印发实施方案[E4-1]。", excerpts).markdown == "教育部等八部门印发实施方案[E4-1]。"
    assert check(f"{GOOD}  \n{GOOD}", excerpts).markdown == f"{GOOD}  \n{GOOD}"


@pytest.mark.parametrize("unsupported", ["mark", "drop"])
def test_checking_a_checked_report_again_changes_no_verdict(
    unsupported: Literal["mark", "drop"], excerpts: Excerpts
) -> None:
    written = f"# Depth\n\n{GOOD} {GOOD}\n\n- {GOOD_CHINESE}\n\n> the hemp line [E3-2]"
    once = check(written, excerpts, unsupported)
    again = check(once.markdown, excerpts, unsupported)
    assert (again.markdown, again.claims) == (once.markdown, once.claims)
