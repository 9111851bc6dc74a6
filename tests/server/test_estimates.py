"""What a run will take, asked of the server before it starts."""

import httpx
import pytest

from schemas.depth import DEPTHS, LEVELS


async def asked(server: str, **body: object) -> httpx.Response:
    async with httpx.AsyncClient(base_url=server) as web:
        return await web.post("/estimates", json=body)


async def test_each_depth_has_its_figures(server: str) -> None:
    told = (await asked(server, locale="zh-CN")).json()
    assert [one["depth"] for one in told] == list(DEPTHS)
    assert [one["seconds"] for one in told] == [LEVELS[depth].seconds for depth in DEPTHS]
    assert {one["figures"] for one in told} == {"几秒钟，不收费；未连接模型，只列出最接近的段落"}
    assert all(one["models"] == [] for one in told)


async def test_what_is_chosen_by_itself_counts_at_every_depth_but_another_depth_does_not(server: str) -> None:
    told = (await asked(server, choices={"max_seconds": 1_000, "depth": "deep", "deep_research": False})).json()
    assert [one["seconds"] for one in told] == [1_000] * 4


@pytest.mark.parametrize(
    "choices", [{"max_seconds": 1}, {"depth": "x"}, {"colour": "blue"}, {"models": {"default": {"model": 3}}}]
)
async def test_an_impossible_choice_is_refused(server: str, choices: dict[str, object]) -> None:
    answer = await asked(server, choices=choices)
    assert answer.status_code == 422
    assert next(iter(choices)) in answer.text
    assert "choises" in (await asked(server, choises=choices)).text
