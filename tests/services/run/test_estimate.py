"""What a run will take, told before it starts: figures of the level, money by the price list, what a limit leaves out."""

from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from schemas.context import RunContext
from schemas.depth import DEPTHS, LEVELS, Depth
from schemas.events import Event
from services.run.estimate import estimate, estimate_line, shortfall_line
from tests.conftest import PROJECT, SetEnvironment
from tests.fakes.openai_server import openai_server


@pytest.fixture
def priced(tmp_path: Path, environment: SetEnvironment) -> None:
    """Connect a model whose price everybody can multiply."""
    file = tmp_path / "prices.yaml"
    file.write_text("plain: {input: 1, output: 10}\ndear: {input: 100, output: 1000}\n")
    environment(
        LEADLINE_PRICES=str(file),
        OPENAI_API_KEY="sk-none",
        OPENAI_BASE_URL="http://127.0.0.1:9/v1",
        LEADLINE_MODEL="plain",
    )


@pytest.mark.usefixtures("priced")
@pytest.mark.parametrize("depth", DEPTHS)
async def test_figures_are_those_of_the_level_and_money_is_arithmetic(depth: Depth) -> None:
    made, level = await estimate(RunContext(depth=depth)), LEVELS[depth]
    assert (made.input_tokens, made.output_tokens) == (level.prompt_tokens, level.answer_tokens)
    assert (made.seconds, made.sources, made.words) == (level.seconds, level.sources, level.words)
    assert made.cost == pytest.approx((level.prompt_tokens + 10 * level.answer_tokens) / 1e6, rel=0.001)
    assert made.limit == ""
    assert made.is_shown == (depth in {"deep", "exhaustive"})


@pytest.mark.usefixtures("priced")
@pytest.mark.parametrize(
    ("choices", "english", "chinese"),
    [
        ({"depth": "deep"}, "3,000 to 6,000 words", "3,000 至 6,000 字"),
        ({"depth": "exhaustive"}, "6,000 words or more", "6,000 字以上"),
        ({"words": 700}, "about 700 words", "约 700 字"),
        ({"length": "brief"}, "about 300 words", "约 300 字"),
    ],
)
async def test_a_length_is_told_in_words_and_in_chinese_in_characters(
    choices: dict[str, Any], english: str, chinese: str
) -> None:
    made = await estimate(RunContext(**choices))
    assert estimate_line(made, "en-US").endswith(f", {english}.")
    assert estimate_line(made, "zh-CN").endswith(f"，{chinese}。")


@pytest.mark.usefixtures("priced")
async def test_without_a_price_there_are_tokens_alone() -> None:
    unknown: Any = {"default": {"model": "nobody-knows-it"}}
    made = await estimate(RunContext(models=unknown))
    assert (made.cost, made.offline, made.tokens) == (None, False, 450_000)
    assert "$" not in estimate_line(made, "en-US")


async def test_offline_nothing_is_paid_and_only_tokens_fall_short() -> None:
    made = await estimate(RunContext(depth="exhaustive", max_seconds=60, max_cost=0.01))
    assert (made.offline, made.cost, made.limit) == (True, 0.0, "")
    assert "tokens" not in estimate_line(made, "en-US")
    limited = await estimate(RunContext(depth="exhaustive", max_tokens=20_000, max_seconds=60))
    assert (limited.limit, limited.is_shown) == ("max_tokens", True)
    assert "20,000 of 3,300,000 tokens" in shortfall_line(limited, "en-US")


@pytest.mark.usefixtures("priced")
@pytest.mark.parametrize(
    ("choices", "limit"),
    [
        ({"depth": "deep", "max_cost": 0.4}, "max_cost"),
        ({"depth": "deep", "max_tokens": 20_000, "max_cost": 0.4}, "max_tokens"),
        ({"depth": "deep", "max_seconds": 600}, "max_seconds"),
        ({"max_tokens": 450_000}, ""),
        ({"max_seconds": 900, "max_tokens": 10**9}, ""),
    ],
)
async def test_the_tightest_limit_counts(choices: dict[str, Any], limit: str) -> None:
    made = await estimate(RunContext(**choices))
    assert made.limit == limit
    assert bool(shortfall_line(made, "en")) == bool(limit)


async def test_it_is_told_before_any_model_is_asked(docs: Path, environment: SetEnvironment) -> None:
    heard: list[tuple[Event, int]] = []
    with openai_server() as server:
        environment(OPENAI_API_KEY=server.key, OPENAI_BASE_URL=server.base_url, LEADLINE_MODEL="gpt-4o")
        await aresearch(
            "谁设计了测深机？",
            docs=[docs],
            max_tokens=15_000,
            on_event=lambda event: heard.append((event, len(server.requests))),
        )
    [(told, asked)] = [(event, asked) for event, asked in heard if event.type == "estimate"]
    assert asked == 0
    assert (told.data["depth"], told.data["limit"], told.data["told"]) == ("standard", "max_tokens", True)
    assert "15,000" in told.title
    assert "词元" in told.title


def test_the_guide_has_the_figures_of_the_levels() -> None:
    guide = (PROJECT / "docs" / "models.md").read_text("utf-8")
    for depth, level in LEVELS.items():
        [row] = [line for line in guide.splitlines() if line.startswith(f"| `{depth}` |")]
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert cells[1] == ("none" if depth == "quick" else f"{level.plans} × {level.steps}")
        assert cells[2:4] == [str(level.rounds), str(level.sources)]
        assert cells[5:8] == [f"{level.prompt_tokens:,}", f"{level.answer_tokens:,}", str(level.seconds // 60)]
        assert float(cells[8].rstrip(" $")) == pytest.approx(
            (level.prompt_tokens * 0.5 + level.answer_tokens * 2) / 1e6
        )
