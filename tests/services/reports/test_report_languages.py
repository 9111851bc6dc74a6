"""A report's fixed texts are in its language, and in English, which it then says, where the catalogue lacks that language."""

import pytest

from schemas.reporter import Report
from services.evidence.non_claims import claims_nothing
from services.reports.document import words
from services.reports.formats import render
from services.reports.labels import ALL_LABELS, labels_for
from services.reports.parser import parse_report
from services.run.ui_text import MESSAGES, say
from tests.services.reports.full import report_of

TEXTS = {
    "fr-FR": (
        "Quelle est la profondeur de la fosse ?",
        "La profondeur de la fosse",
        ["Le navire Vityaz a mesuré 11 034 mètres en 1957.", "Le sondage de 2010 a donné 10 994 mètres."],
    ),
    "ar": (
        "كم يبلغ عمق الخندق؟",
        "عمق الخندق",
        ["قاست السفينة فيتياز 11034 مترا في عام 1957.", "أعطى مسح عام 2010 عمق 10994 مترا."],
    ),
    "sv-SE": (
        "Hur djup är graven?",
        "Gravens djup",
        ["Fartyget Vityaz mätte 11 034 meter år 1957.", "Mätningen år 2010 gav 10 994 meter."],
    ),
}
"""Question, title and sources of a report in each language."""


def report_in(locale: str, label: str = "TL;DR") -> Report:
    question, title, [first, second] = TEXTS[locale]
    body = f"# {title}\n\n**{label}** {first} [E1-1]\n\n{second} [E1-2]\n"
    told = {"missing_aspects": ["who listened"], "follow_up_questions": ["Why?"]}
    return report_of(body, [first, second], question, locale, **told)


@pytest.mark.parametrize(
    ("locale", "counts", "headings", "missing"),
    [
        (
            "fr-FR",
            "*Répond à la question : en partie · tous les extraits vérifiés (2 affirmations – citées : 2)*",
            ["Limites de ce rapport", "Questions à poser ensuite", "Références"],
            "Reste sans réponse : who listened",
        ),
        (
            "ar",
            "*الإجابة عن السؤال: جزئيًا · جرى التحقق من كل الاقتباسات (عدد العبارات: 2؛ مقتبسة: 2)*",
            ["حدود هذا التقرير", "أسئلة للمتابعة", "المراجع"],
            "بقي دون إجابة: who listened",
        ),
    ],
)
async def test_a_report_has_the_fixed_texts_of_its_language(
    locale: str, counts: str, headings: list[str], missing: str
) -> None:
    report = report_in(locale)
    lines = report.markdown.splitlines()
    assert lines[2] == counts
    assert [line.removeprefix("## ") for line in lines if line.startswith("## ")] == headings
    assert f"- {missing}" in lines
    page = (await render(report, ["html"]))["report.html"].decode()
    assert f'<html lang="{locale}" dir="{"rtl" if locale == "ar" else "ltr"}">' in page
    for text in (counts.strip("*"), *headings, missing, labels_for(locale).generated, labels_for(locale).quotes):
        assert text in page
    assert not [text for text in ("References", "Limits of", "In short", "quoted") if f">{text}" in page]


def test_a_language_that_is_missing_has_english_texts_and_says_so() -> None:
    report = report_in("sv-SE")
    assert "## References" in report.markdown
    assert report.limits[0] == say("texts_missing", "sv-SE", language="sv-SE")
    assert "sv-SE" in report.limits[0]
    assert not [limit for limit in report_in("fr-FR").limits if "Leadline" in limit]


@pytest.mark.parametrize("label", [own.summary for own in ALL_LABELS.values()])
def test_a_summary_is_known_by_its_label_in_every_language(label: str) -> None:
    parsed = parse_report(report_in("fr-FR", f"{label} :"))
    assert words(parsed.summary).startswith("Le navire Vityaz")


@pytest.mark.parametrize("language", MESSAGES["nothing_close"])
def test_that_nothing_was_found_is_no_claim_in_any_language(language: str) -> None:
    assert claims_nothing(say("nothing_close", language), cites=False, evidence="")
