"""A figure is confirmed where an independent source gives it of the same thing, and by nobody who has it from the other."""

import pytest

from schemas.evidence import Excerpt, Source
from services.evidence.contradictions import confirmations

OWN = "The Vell lighthouse is 48 metres tall."
OTHERS = "Built in 1871, the lighthouse of Vell stands 48 metres tall."


def found(*said: tuple[str, str], **copies: str) -> dict[str, list[str]]:
    """Return what confirms what, of quotes with the addresses of their sources; `b="a"` makes the second a copy of the first."""
    keys = "abcdef"
    sources, excerpts = {}, []
    for key, (url, quote) in zip(keys, said, strict=False):
        kind = "web" if url.startswith("http") else "computation" if url.startswith("computation") else "document"
        sources[key] = Source(
            url=url, title="On lighthouses", kind=kind, content_hash=key, duplicate_of=copies.get(key)
        )
        excerpts.append(Excerpt(id=key, content_hash=key, quote=quote, start=0, end=len(quote)))
    return confirmations(excerpts, sources)


BOTH = {"a": ["b"], "b": ["a"]}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (OWN, OTHERS),
        ("In 2019 Vell exported 18 tonnes of timber.", "Vell exported 18,000 kilograms of timber in 2019, mostly by rail."),
        ("2019年维尔港出口木材18万吨。", "据统计，维尔港2019年出口木材18万吨。"),
    ],
)  # fmt: skip
def test_an_independent_source_confirms_a_figure(one: str, other: str) -> None:
    assert found(("https://a.example/x", one), ("https://b.example/y", other)) == BOTH


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (OWN, OTHERS.replace("48", "52")),
        (OWN, "The Vell lighthouse is 480 metres from the quay."),
        (OWN, "The Karst lighthouse is 48 metres tall."),
        (OWN, "The Vell lighthouse is not 48 metres tall."),
        (OWN, "The keeper of the lighthouse of Vell has been 48 times to the town."),
        (OWN, "The Vell lighthouse is tall."),
        ("In 2019 Vell exported 18 tonnes of timber.", "In 2020 Vell exported 18 tonnes of timber."),
        ("三年后，干预组的发病率为30.4%，对照组为39.5%。", "三年后，试验组屈光度变化为-0.51D，对照组为-1.24D。"),
        (
            "After three years 30 percent of the group were ill.",
            "After three years 12 percent of the group were cured.",
        ),
        ("The 0.5% group gained 18 kg.", "The 0.5% group gained 12 kg."),
    ],
)
def test_another_number_thing_or_period_confirms_nothing(one: str, other: str) -> None:
    assert found(("https://a.example/x", one), ("https://b.example/y", other)) == {}


def test_the_same_owner_confirms_nothing_but_papers_at_one_address_have_several() -> None:
    assert found(("https://a.example/x", OWN), ("https://www.a.example/y", OTHERS)) == {}
    assert found(("https://arxiv.org/abs/1", OWN), ("https://arxiv.org/abs/2", OTHERS)) == BOTH
    assert found(("https://amy.substack.com/p/1", OWN), ("https://ben.substack.com/p/1", OTHERS)) == BOTH
    assert found(("docs/a.md", OWN), ("docs/b.md", OTHERS)) == BOTH


def test_a_copy_or_the_same_words_confirm_nothing() -> None:
    assert found(("https://a.example/x", OWN), ("https://b.example/y", OTHERS), b="a") == {}
    passed_on = f"We have read in a release: {OWN} It will open in May."
    assert found(("https://a.example/x", OWN), ("https://b.example/y", passed_on)) == {}


def test_a_computation_confirms_nothing() -> None:
    assert found(("https://a.example/x", OWN), ("computation:C1", OTHERS)) == {}
