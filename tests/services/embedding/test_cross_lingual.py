"""A sentence that cites quotes in another language is compared by meaning, where the local model is in use."""

import json
from pathlib import Path

import pytest

from leadline import aresearch
from leadline.runs.actions import areplay
from services.check.support import MEANING, check_support
from services.embedding import models
from services.embedding.cross_lingual import likeness_of
from services.reports.bundle import verify_bundle
from services.run.settings import forget_settings
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.quoting import quoting

QUOTE = "Tallow was pressed into the hollow of the lead so that a sample of the bottom stuck to it."
SAME = "人们把油脂压进铅锤底部的凹槽，好让海底的样品粘在上面。"
OTHER = "水手们每天早晨都要擦洗甲板。"
needs_model = pytest.mark.skipif(not models._installed("use"), reason="the local model is not installed")


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_EMBEDDINGS_MODEL", "use")
    forget_settings()


def test_the_judgement_is_asked_for_only_where_nothing_else_tells() -> None:
    asked: list[str] = []

    def likeness(text: str, quotes: object) -> float:
        asked.append(text)
        return MEANING

    assert check_support(SAME, [QUOTE], likeness=likeness).likeness == MEANING
    assert check_support("1872年人们改用钢丝。", ["In 1872 wire took over."], likeness=likeness).fault == ""
    assert check_support("1873年人们改用钢丝。", ["In 1872 wire took over."], likeness=likeness).fault == "numbers"
    assert check_support("Tallow stuck to the lead.", [QUOTE], likeness=likeness).likeness is None
    assert asked == [SAME]


@pytest.mark.parametrize(("cosine", "failing"), [(None, "language"), (MEANING - 0.01, "meaning"), (MEANING, "")])
def test_a_sentence_is_supported_from_the_threshold_on(cosine: float | None, failing: str) -> None:
    assert check_support(SAME, [QUOTE], likeness=lambda *_: cosine).fault == failing


def test_a_chinese_name_is_not_looked_for_in_a_text_without_chinese() -> None:
    claim = "挑战者号测量了北京大学附近的海沟。"
    assert check_support(claim, ["The ship sounded the trench."], likeness=lambda *_: 0.9).fault == ""
    assert check_support(claim, ["该船测量了海沟。"]).fault == "names"


async def test_nothing_is_compared_without_pairs_or_without_the_model() -> None:
    assert await likeness_of([]) is None
    assert await likeness_of([(SAME, [QUOTE])]) is None


@needs_model
@pytest.mark.long
async def test_a_chinese_report_over_english_sources_is_verified_checked_offline_and_replayed(
    endpoint: OpenAIServer, use: None, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.script["researcher"] = [quoting(QUOTE, finding=SAME)]
    question = "为什么把油脂压进铅锤（tallow pressed into the lead）？"
    endpoint.script["coordinator"] = [
        json.dumps({"intent": "in_scope", "question": question, "locale": "zh-CN", "complexity": "complex"})
    ]
    plan = {
        "title": "t",
        "steps": [{"id": "1", "title": "t", "description": "d", "queries": ["tallow pressed into lead"]}],
    }
    endpoint.script["planner"] = [json.dumps(plan)]
    endpoint.script["reflector"] = [json.dumps({"has_enough_context": True})]
    endpoint.script["reporter"] = [f"{SAME[:-1]}[E1-1]。{OTHER[:-1]}[E1-1]。"]
    report = await aresearch(question, docs=[docs], out=tmp_path / "out")
    same, other = report.citations
    assert (same.verified, other.verified) == (True, False)
    assert (same.likeness or 0) >= MEANING > (other.likeness or 1)
    assert "意思" in other.reason
    assert verify_bundle(Path(report.folder or "")).problems == []
    monkeypatch.setenv("LEADLINE_EMBEDDINGS_MODEL", "none")
    forget_settings()
    assert (await areplay(report.run_id, out=tmp_path / "again")).markdown == report.markdown
