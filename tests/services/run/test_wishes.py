"""Wishes of a question: only what its words bear out, merged with the settings of the run."""

import pytest

from schemas.context import RunContext
from schemas.wishes import ChosenWishes, Wishes
from services.run.wishes import narrowed, obeyed, pasted_text, settled_wishes


@pytest.mark.parametrize(
    ("allowed", "wanted", "left"),
    [
        ([], ["who.int"], ["who.int"]),
        (["who.int"], ["who.int", "cdc.gov"], ["who.int"]),
        (["who.int"], ["data.who.int"], ["data.who.int"]),
        (["data.who.int"], ["who.int"], ["data.who.int"]),
        (["who.int"], ["notwho.int"], []),
    ],
)
def test_wanted_sites_are_those_that_lie_below_allowed_ones(
    allowed: list[str], wanted: list[str], left: list[str]
) -> None:
    assert narrowed(allowed, wanted) == left


def test_dates_hold_together_and_a_span_without_a_day_is_refused() -> None:
    context = RunContext(wishes=ChosenWishes(after="2020", before="2024-06"))
    later = obeyed(context, Wishes(said=["x"], after="2022-01-01")).context.wishes
    assert (later.after, later.before) == ("2022-01-01", "2024-06-30")
    refused = obeyed(context, Wishes(said=["x"], after="2025"))
    assert refused.refused == ["after"]
    assert (refused.context.wishes.after, refused.context.wishes.before) == ("2020-01-01", "2024-06-30")


def test_sites_to_leave_out_are_added_and_a_form_of_the_question_takes_the_place_of_the_settings() -> None:
    context = RunContext(exclude_domains=["x.example"], words=900, wishes=ChosenWishes(shape="list", readers="experts"))
    merged = obeyed(
        context, Wishes(said=["x"], shape="table", columns=["a"], without_sites=["wikipedia.org"], words=300)
    ).context
    assert merged.exclude_domains == ["x.example", "wikipedia.org"]
    assert (merged.words, merged.wishes.shape, merged.wishes.readers) == (300, "table", "experts")


def test_without_wishes_the_settings_hold() -> None:
    context = RunContext(locale="zh-CN", include_domains=["who.int"], words=400)
    assert obeyed(context, Wishes()).context.model_dump() == context.model_dump()


def test_only_wishes_that_words_of_the_message_ask_for_are_taken() -> None:
    wishes = Wishes(
        said=["Answer  in french"], language="fr", sites=["https://www.WHO.int/news", "the who"], after="soon"
    )
    taken = settled_wishes(wishes, "What is it? Answer in French.")
    assert (taken.language, taken.sites, taken.after) == ("fr", ["who.int"], "")
    assert settled_wishes(wishes, "What is it?") == Wishes()


HALVES = "Which tables hold drugs, and how does DRUG_ERA differ?"


@pytest.mark.parametrize(
    ("said", "question", "confirmed"),
    [
        (["Which tables hold drugs?", "How does DRUG_ERA differ?"], HALVES, []),
        (["Which tables hold drugs?", "How does DRUG_ERA differ?"], "", []),
        (["Which tables hold drugs"], f"{HALVES} Answer in a table.", ["Which tables hold drugs"]),
        (["in a table"], "Which tables hold drugs?", ["in a table"]),
        (["in a table"], f"{HALVES} Answer in a table.", ["in a table"]),
        (["in a table"], "", ["in a table"]),
    ],
)
def test_words_of_the_question_itself_are_no_wish(said: list[str], question: str, confirmed: list[str]) -> None:
    message = HALVES if not confirmed else f"{HALVES} Answer in a table."
    taken = settled_wishes(Wishes(said=said, shape="table", words=10), message, question)
    assert (taken.said, taken.shape) == (confirmed, "table" if confirmed else "")


def test_words_that_are_all_of_a_chinese_question_are_no_wish() -> None:
    asked = "什么是渐进式框架？"
    assert settled_wishes(Wishes(said=["什么是渐进式框架"], words=10), asked, asked) == Wishes()
    wished = settled_wishes(Wishes(said=["用表格回答"], shape="table"), f"{asked}用表格回答。", asked)
    assert wished.shape == "table"


@pytest.mark.parametrize(
    "given", [{"after": "soon"}, {"shape": "poem"}, {"ignored": ["everything"]}, {"language": "fr"}]
)
def test_a_wish_of_a_run_that_cannot_be_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="wishes"):
        RunContext.model_validate({"wishes": given})


TEXT = "\n".join(f"On day {n} the pier held {n} crates of fish and of salt." for n in range(60))
SHORT = "The pier held nine crates. Nobody knows why."


@pytest.mark.parametrize(
    ("message", "begins", "request_", "text"),
    [
        ("How many crates?", "", "How many crates?", ""),
        ("How many crates?", "How many", "How many crates?", ""),
        ("What does PEP 517 say?", "PEP 517", "What does PEP 517 say?", ""),
        ("On the pier, how many crates?", "how many crates", "On the pier, how many crates?", ""),
        (f"Sum this up. {SHORT}", "The pier held nine", "Sum this up.", SHORT),
        (f"How many crates?\n\n{TEXT}", "", "How many crates?", TEXT),
        (f"{TEXT}\n\nHow many?", "", "How many?", TEXT),
        (f"Sum this up: {SHORT}", "The pier held nine crates", "Sum this up", SHORT),
        (f"总结一下：“{SHORT}”", "The pier  held", "总结一下", f"{SHORT}”"),
        (f"{SHORT}\nSum it up.", "The pier held", "Sum it up.", SHORT),
        (f"{SHORT}\nSum it up.", "No such words", f"{SHORT}\nSum it up.", ""),
        ("x" * 3_000, "", "x" * 3_000, ""),
    ],
)
def test_the_request_is_told_from_the_text(message: str, begins: str, request_: str, text: str) -> None:
    request, found = pasted_text(message, begins)
    assert (request, " ".join(found.split())) == (request_, " ".join(text.split()))
