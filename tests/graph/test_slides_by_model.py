"""Slides that a model writes from the finished report: titles that state a point, cards that code has proved, the same again in a replay."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from schemas.reporter import Report
from schemas.reporter_slides import MAX_PAGES
from services.reports.bundle import verify_bundle
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.openai_server import error as model_error
from tests.graph.soundings import PAPERS, QUESTION, human
from tests.graph.test_long_reports import endpoint

__all__ = ["endpoint"]
POINT = "Sound measures the depth by the time of a pulse to the bottom and back"
CARD = "Reginald Fessenden heard an echo in 1914"


def statements_of(body: dict[str, Any]) -> dict[str, int]:
    return {
        text: int(number) for number, text in re.findall(r'<statement number="(\d+)">(.+)</statement>', human(body))
    }


def sections_shown(body: dict[str, Any]) -> dict[str, int]:
    return {title: int(number) for number, title in re.findall(r'<section number="(\d+)" title="(.+)">', human(body))}


def deck_of(*cards: tuple[str, str], title: str = POINT) -> Any:
    """Return what the model answers: one page, each card with the words of the statement that it names."""

    def answer(body: dict[str, Any]) -> str:
        numbers = statements_of(body)
        named = [{"text": text, "statements": [numbers.get(words, 999)]} for text, words in cards]
        page = {"section": sections_shown(body)["The echo"], "title": title, "cards": named, "figure": 0}
        return json.dumps({"pages": [page]})

    return answer


async def run(papers: Path, **choices: Any) -> Report:
    return await aresearch(QUESTION, docs=[papers], output_formats=["md", "slides"], **choices)


def echo(place: int) -> str:
    return PAPERS["echo"][place]


async def test_a_page_states_its_point_and_its_cards_cite_what_the_report_cites(
    endpoint: OpenAIServer, papers: Path, tmp_path: Path
) -> None:
    endpoint.script["reporter_slides"] = [deck_of((CARD, echo(1)), ("Meteor sounded from 1925 to 1927", echo(3)))]
    report = await run(papers, out=tmp_path / "out")
    [page] = report.deck
    assert [card.text for card in page.cards] == [CARD, "Meteor sounded from 1925 to 1927"]
    quoted = {claim.text: claim.citations for claim in report.citations}
    assert [card.citations for card in page.cards] == [quoted[echo(1)], quoted[echo(3)]]
    folder = Path(report.folder or "")
    slides = (folder / "slides.html").read_text("utf-8")
    assert CARD in slides
    assert "Pilots told sand from shell by the sample" in slides, (
        "a section that the model left out is laid out by rules"
    )
    assert report.prompts["reporter_slides"] == 3
    assert verify_bundle(folder).problems == []
    assert endpoint.roles.count("reporter_slides") == 1


async def test_what_is_not_proved_gives_way_to_the_reports_own_words(endpoint: OpenAIServer, papers: Path) -> None:
    endpoint.script["reporter_slides"] = [
        deck_of(
            ("Fessenden heard an echo in 1941", echo(1)),
            ("Nobody knows", "a statement that does not exist"),
            ("Meteor sounded in 1999", echo(3)),
            (CARD, echo(1)),
            title="Sound replaced every lead by 1899",
        )
    ]
    [page] = (await run(papers)).deck
    assert page.title == "The echo", "its point is proved by nothing"
    assert [card.text for card in page.cards] == [echo(3), CARD], "what another card says is not said again"


@pytest.mark.parametrize(
    "answer",
    [
        '{"pages": [{"section": 77, "title": "t", "cards": [{"text": "x", "statements": [999, -1]}]}]}',
        model_error(500, "It broke.", "server_error"),
    ],
)
async def test_a_useless_answer_leaves_the_slides_to_rules_and_the_report_whole(
    endpoint: OpenAIServer, papers: Path, tmp_path: Path, answer: Reply | str
) -> None:
    endpoint.script["reporter_slides"] = [answer] * 4
    report = await run(papers, out=tmp_path / "out")
    assert report.deck == []
    slides = (Path(report.folder or "") / "slides.html").read_text("utf-8")
    assert "Pilots told sand from shell by the sample" in slides
    assert "reporter_slides" not in report.prompts


async def test_a_deck_is_bounded(endpoint: OpenAIServer, papers: Path) -> None:
    def many(body: dict[str, Any]) -> str:
        cards = [{"text": f"{text} ({n})", "statements": [n]} for text, n in statements_of(body).items()]
        return json.dumps({"pages": [{"section": 1, "title": "t", "cards": cards}] * 60})

    endpoint.script["reporter_slides"] = [many]
    report = await run(papers)
    assert len(report.deck) <= MAX_PAGES
    assert all(len(page.cards) <= 4 for page in report.deck)
    texts = [card.text for page in report.deck for card in page.cards]
    assert len(texts) == len(set(texts)), "nothing is shown twice"


async def test_without_slides_among_the_formats_nothing_is_asked(endpoint: OpenAIServer, papers: Path) -> None:
    report = await aresearch(QUESTION, docs=[papers])
    assert report.deck == []
    assert "reporter_slides" not in endpoint.roles
