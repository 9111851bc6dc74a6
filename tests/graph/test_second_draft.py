"""A report that one call writes is written again, with what its first draft named as lacking; a second draft that is none leaves the first."""

import json
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from services.reports.bundle import verify_bundle
from services.run.settings import forget_settings
from services.text.length import words_in
from tests.fakes import two_drafts
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, role_of
from tests.fakes.quoting import quoting, references_to
from tests.fakes.read_folder import read_before
from tests.fakes.two_drafts import COST, FERRY, FIRST, LACKING, LIGHT, QUESTION, SECOND, moment_of
from tests.graph.judging import editing, verdicts


@pytest.fixture
def norland(endpoint: OpenAIServer, tmp_path: Path) -> Path:
    endpoint.choose = two_drafts.answer
    return read_before(two_drafts.write_documents(tmp_path / "norland"))


async def test_what_the_first_draft_lacks_is_searched_and_told_by_the_second(
    endpoint: OpenAIServer, norland: Path, tmp_path: Path
) -> None:
    report = await aresearch(QUESTION, docs=[norland], out=tmp_path / "out")
    asked = {moment_of(body): body["messages"][-1]["content"] for body in endpoint.requests}
    assert f"None of it is proved yet.\n- {LACKING}\n" in asked[f"researcher, {LACKING}"]
    first, second = asked["first draft"].rstrip(), asked["second draft"]
    rules = [body["messages"][0]["content"] for body in endpoint.requests if role_of(body) == "reporter"]
    assert len({*rules}) == 1
    assert f"<draft>\n{FIRST.strip()}\n</draft>" in second
    assert COST in second
    assert f"The draft has {words_in(FIRST)} words without its code" in second
    assert second.startswith(first[: first.index("Below the questions")].rstrip())  # a cache of prompts has it
    assert (report.title, report.follow_up_questions) == ("A widow paid", ["Who was she?"])
    assert COST.rstrip(".") in report.markdown
    assert "Nobody tells" not in report.markdown
    assert "reporter_editing" not in endpoint.roles  # nothing is to be mended
    assert verify_bundle(Path(report.folder or "")).problems == []


async def test_a_writer_sees_whole_passages_and_cites_what_no_step_took(
    endpoint: OpenAIServer, norland: Path, tmp_path: Path
) -> None:
    light, limit = norland / "light.md", "In its first winter this was not so."
    light.write_text(f"{light.read_text().rstrip()} {limit}\n\nIts oil came from whales.\n")
    untold, ferry = "Nobody was ever charged for a dog.", norland / "ferry.md"
    ferry.write_text(f"{ferry.read_text().rstrip()} {untold}\n")
    cited = f"{limit} [E1-8]"

    def choose(body: dict[str, Any]) -> str | None:
        written = two_drafts.answer(body)
        return (
            written.replace("## Ferry", f"## Ferry\n\n{cited}") if role_of(body) == "reporter" and written else written
        )

    endpoint.choose = choose
    report = await aresearch(QUESTION, docs=[read_before(norland)], out=tmp_path / "out")
    drafts = endpoint.asked("reporter")
    assert len(drafts) == 2
    for asked in drafts:
        assert f'{LIGHT[-1]}\n</excerpt>\n<excerpt id="E1-8" relevance="medium">\n{limit}' in asked
        assert untold in asked
    assert [excerpt.id for excerpt in report.excerpts if limit in excerpt.quote] == ["E1-8"]
    assert not [excerpt.id for excerpt in report.excerpts if untold in excerpt.quote]
    assert {claim.text: claim.verified for claim in report.citations}[limit]
    assert verify_bundle(Path(report.folder or "")).problems == []


async def test_what_the_search_finds_is_told_anew_although_it_stood_beside_a_quote(
    endpoint: OpenAIServer, norland: Path
) -> None:
    light = norland / "light.md"
    light.write_text(f"{light.read_text().rstrip()} {COST}\n")
    await aresearch(QUESTION, docs=[read_before(norland)])
    asked = {moment_of(body): body["messages"][-1]["content"] for body in endpoint.requests}
    assert COST in asked["first draft"]
    assert COST in asked["second draft"].rpartition("<finding ")[2].partition("</finding>")[0]


async def test_what_the_search_finds_is_told_although_a_step_had_quoted_it_and_the_first_draft_had_no_room_for_it(
    endpoint: OpenAIServer, norland: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_ONE_CALL_TOKENS", "200")
    forget_settings()

    def choose(body: dict[str, Any]) -> str | None:
        if moment_of(body) == 'researcher, title="Carts"':
            found = json.loads(quoting(*FERRY)(body))
            return json.dumps(found | {"medium": references_to(body, [COST])})
        return two_drafts.answer(body)

    endpoint.choose = choose
    (norland / "money.md").write_text(f"# Carts of Norland and their money\n\n{COST}\n")
    report = await aresearch(QUESTION, docs=[read_before(norland)])
    asked = {moment_of(body): body["messages"][-1]["content"] for body in endpoint.requests}
    assert [excerpt.relevance for result in report.results for excerpt in result.excerpts if excerpt.quote == COST] == [
        "medium",
        "high",
    ]
    assert [COST in asked[draft] for draft in ("first draft", "second draft")] == [False, True]
    assert COST in [excerpt.quote for excerpt in report.excerpts]


@pytest.mark.parametrize("told", [True, False])
async def test_an_editor_may_change_any_block_by_what_the_check_has_found_and_no_writer_had_seen(
    endpoint: OpenAIServer, norland: Path, told: bool
) -> None:
    untold = "The sources do not tell whose money paid for the tower of Norland."
    far = "\n\n".join(f"{said} [E2-{number}]" for number, said in enumerate(FERRY[:3], 1))
    draft = f"# Lamps and carts\n\n## Ferry\n\n{far}\n\n## Money\n\n{LIGHT[0]} [E1-1]\n\n{untold}"
    found = verdicts((1, "contradicted", COST)) if told else verdicts((1, "not_told", ""))
    endpoint.script["verifier"] = [verdicts((1, "absent", "")), found]
    endpoint.script["reporter_editing"] = [editing(("B3", "replace", f"{FERRY[4]} [E2-5]"))]
    endpoint.choose = lambda body: draft if role_of(body) == "reporter" else two_drafts.answer(body)
    report = await aresearch(QUESTION, docs=[norland])
    assert (FERRY[4].rstrip(".") in report.markdown) is told
    for message in endpoint.asked("reporter_editing"):
        assert told
        assert COST in message


async def test_an_editor_may_change_a_block_that_only_refers_to_what_the_check_objected_to(
    endpoint: OpenAIServer, norland: Path
) -> None:
    far = "\n\n".join(f"{said} [E2-{number}]" for number, said in enumerate(FERRY[:3], 1))
    draft = (
        f"# Lamps and carts\n\n## Ferry\n\n{far}\n\n## Money\n\n{LIGHT[0]} [E1-1]\n\nIts keeper was a rich man [E1-1]."
    )
    endpoint.script["verifier"] = [verdicts((1, "partly", LIGHT[0]))]
    endpoint.script["reporter_editing"] = [editing(("B3", "replace", f"{FERRY[4]} [E2-5]"))]
    endpoint.choose = lambda body: draft if role_of(body) == "reporter" else two_drafts.answer(body)
    report = await aresearch(QUESTION, docs=[norland])
    assert FERRY[4].rstrip(".") in report.markdown


async def test_where_the_window_has_no_room_for_whole_passages_a_writer_sees_the_quotes(
    endpoint: OpenAIServer, norland: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    light = norland / "light.md"
    light.write_text(f"{light.read_text().rstrip()} {'This sentence fills the passage. ' * 30}\n")
    monkeypatch.setattr("services.turn.writing.MOST_EVIDENCE", 440)
    await aresearch(QUESTION, docs=[read_before(norland)])
    drafts = endpoint.asked("reporter")
    assert drafts
    assert LIGHT[-1] in drafts[0]
    assert "fills the passage" not in drafts[0]


@pytest.mark.parametrize(
    "second",
    [f"# A widow paid\n\n{COST} [E3-1]", Reply(401, {"error": {"message": "broken"}})],
    ids=["has lost most", "fails"],
)
async def test_a_second_draft_that_has_lost_what_the_first_tells_does_not_take_its_place(
    endpoint: OpenAIServer, norland: Path, second: str | Reply
) -> None:
    def choose(body: dict[str, Any]) -> str | Reply | None:
        return second if moment_of(body) == "second draft" else two_drafts.answer(body)

    endpoint.choose = choose
    report = await aresearch(QUESTION, docs=[norland])
    assert (report.title, report.follow_up_questions) == ("Lamps and carts", ["What else?"])
    assert LACKING not in report.markdown


async def test_an_editor_who_sees_no_evidence_words_the_report_before_it_is_checked(
    endpoint: OpenAIServer, norland: Path, tmp_path: Path
) -> None:
    told = "It was the keeper's widow who lent the office its four hundred crowns."
    plain = SECOND.replace("# A widow paid", "# A widow paid for the tower").replace(COST, told).partition("\n\n===")[0]
    endpoint.script["reporter_wording"] = [plain]
    report = await aresearch(QUESTION, docs=[norland], out=tmp_path / "out")
    asked, checked = (
        next(body["messages"][-1]["content"] for body in endpoint.requests if role_of(body) == role)
        for role in ("reporter_wording", "verifier")
    )
    assert f"<draft>\n{SECOND.partition('===')[0].strip()}\n</draft>" in asked
    [rules] = [body["messages"][0]["content"] for body in endpoint.requests if role_of(body) == "reporter_wording"]
    assert f"The report has {words_in(SECOND.partition('===')[0])} words without its code" in rules
    assert LIGHT[1] not in asked
    assert told in checked
    assert (report.title, report.follow_up_questions) == ("A widow paid for the tower", ["Who was she?"])
    assert report.prompts["reporter_wording"] == 3
    assert verify_bundle(Path(report.folder or "")).problems == []


@pytest.mark.parametrize(
    "wording",
    [
        SECOND.replace("A widow paid", "Worse").replace("[E2-1]", "[E2-2]"),
        SECOND.replace("A widow paid", "Worse").replace(" [E1-1]", ""),
        Reply(401, {"error": {"message": "broken"}}),
    ],
    ids=["cites another excerpt", "has lost a citation", "fails"],
)
async def test_a_wording_that_says_something_else_does_not_take_the_place_of_the_draft(
    endpoint: OpenAIServer, norland: Path, wording: str | Reply
) -> None:
    endpoint.script["reporter_wording"] = [wording]
    report = await aresearch(QUESTION, docs=[norland])
    assert (report.title, report.follow_up_questions) == ("A widow paid", ["Who was she?"])
    assert report.limits == []


async def test_what_is_left_of_the_limits_is_kept_for_the_check(endpoint: OpenAIServer, norland: Path) -> None:
    report = await aresearch(QUESTION, docs=[norland])
    assert "reporter_wording" in endpoint.roles
    endpoint.roles.clear()
    await aresearch(QUESTION, docs=[norland], max_tokens=report.usage.total.tokens)
    assert "reporter_wording" not in endpoint.roles


async def test_evidence_that_fits_one_call_only_without_the_draft_is_written_again_all_the_same(
    endpoint: OpenAIServer, norland: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.turn.writing.MOST_EVIDENCE", 340)
    await aresearch(QUESTION, docs=[norland])
    assert {"first draft", "second draft"} <= {moment_of(body) for body in endpoint.requests}
    [first, *_] = endpoint.asked("reporter")
    assert LIGHT[0] in first
    assert "reporter_section" not in endpoint.roles


async def test_evidence_that_no_single_call_can_hold_is_cut_to_the_most_relevant(
    endpoint: OpenAIServer, norland: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_ONE_CALL_TOKENS", "100")
    await aresearch(QUESTION, docs=[norland])
    [first, *_] = endpoint.asked("reporter")
    assert LIGHT[0] in first
    assert "further_excerpts" not in first
    assert "reporter_section" not in endpoint.roles


async def test_a_report_without_an_outline_has_its_evidence_where_others_are_written_in_sections(
    endpoint: OpenAIServer, norland: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_ONE_CALL_TOKENS", "0")
    await aresearch(QUESTION, docs=[norland], length="brief")
    [only] = endpoint.asked("reporter")
    assert LIGHT[0] in only


async def test_code_does_not_count_among_the_words_of_a_draft(endpoint: OpenAIServer, norland: Path) -> None:
    body, mark, questions = SECOND.partition("\n\n===")
    coded = f"{body}\n\n```text\nlamps carts crowns\n```{mark}{questions}"
    endpoint.choose = lambda asked: coded if moment_of(asked) == "second draft" else two_drafts.answer(asked)
    await aresearch(QUESTION, docs=[norland])
    [rules] = [each["messages"][0]["content"] for each in endpoint.requests if role_of(each) == "reporter_wording"]
    assert f"The report has {words_in(body)} words without its code" in rules
