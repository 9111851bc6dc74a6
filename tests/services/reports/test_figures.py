"""Which numbers of a report stand on its cards."""

import pytest

from services.reports.numbered_text import Citations
from services.reports.parser import key_figures, parse_report
from tests.services.reports.full import report_of


def figures(question: str, *sentences: str) -> list[str]:
    """Return the values on the cards of a report that says nothing but these sentences, each with its own quote."""
    body = "\n\n".join(f"{said} [E1-{place}]" for place, said in enumerate(sentences, 1))
    report = report_of(body, list(sentences), question, "en-US" if question.isascii() else "zh-CN")
    assert all(claim.verified for claim in report.citations)
    return [figure.value for figure in key_figures(report, Citations.of(report), " ".join(sentences))]


@pytest.mark.parametrize(
    ("question", "sentence", "value"),
    [
        ("How deep is it?", "In 1951 the ship found 10,863 metres with a stopwatch.", "10,863 metres"),
        ("How much less is it for 2 hours?", "Outdoors for 2 hours a day, it falls by 15% to 24%.", "15% to 24%"),
        (
            "What does it cost?",
            "The probe cost US$12 million to US$15 million in all.",
            "US$12 million to US$15 million",
        ),
        ("How fast is it?", "Sound travels at about 1,435 metres per second in water.", "1,435 metres per second"),
        ("What does it cost?", "Sand costs $5 per kilogram there.", "$5 per kilogram"),
        ("How much carbon is it?", "They took up 0.62 ± 0.37 tons a year.", "0.62 ± 0.37 tons a year"),
        ("声音有多快？", "声音在海水中每秒约1500米，比空气中快。", "每秒约1500米"),
        ("海有多深？", "该船测得10863米（5940英寻）。", "10863米"),
    ],
)
def test_a_card_shows_the_number_that_is_measured_and_news(question: str, sentence: str, value: str) -> None:
    assert figures(question, sentence) == [value]


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Who was it?", "The ship Kilo sailed in 1951 with its captain."),
        ("Is a cast to 2,000 fathoms slow?", "A cast to 2,000 fathoms is slow with hemp."),
        ("How long does a cast take?", "A cast took 25 minutes down and 30 minutes up."),
        ("每天户外多久？", "每天户外120至150分钟，发病率可减少15%至24%。"),
    ],
)
def test_a_sentence_without_such_a_number_or_with_several_gets_no_card(question: str, sentence: str) -> None:
    assert figures(question, sentence) == []


def test_cards_are_those_of_the_opening_and_more_than_one_and_the_closest_passages_have_none() -> None:
    told = [
        "The ship found 11 metres of water.",
        "The boat found 12 metres of water.",
        "For the 6 metres no level is stated.",
    ]
    first, second, third = (f"{said[:-1]} [E1-{place}]." for place, said in enumerate(told, 1))
    for body, values in (
        (f"{first} {second}\n\n## Limits\n\n{third}", ["11 metres", "12 metres"]),
        (f"## Found\n\n{first} {second}\n\n## Limits\n\n{third}", ["11 metres", "12 metres"]),
        (f"{first}\n\n## Limits\n\n{second} {third}", []),
    ):
        report = report_of(body, told)
        assert [figure.value for figure in parse_report(report).figures] == values
        assert parse_report(report.model_copy(update={"by_rules": True})).figures == ()


def test_a_figure_of_an_opening_that_cites_nothing_has_the_citation_of_what_it_sums_up() -> None:
    told = ["In 1951 the ship found 10,863 metres with a stopwatch.", "The probe of the ship cost $12 million in all."]
    sections = "\n\n".join(f"## Part {n}\n\n{said} [E1-{n}]" for n, said in enumerate(told, 1))
    report = report_of(
        f"# A deep place\n\nThe ship found 10,863 metres. The probe cost $12 million.\n\n{sections}", told
    )
    assert report.citations[0].cited_by == "report"
    figures = parse_report(report).figures
    assert [figure.claim for figure in figures] == ["The ship found 10,863 metres.", "The probe cost $12 million."]
    assert [[cited.excerpts for cited in figure.citations] for figure in figures] == [[("E1-1",)], [("E1-2",)]]
