"""A contradiction has two sources on one subject, and code says what they differ in; an independent source confirms a figure."""

import pytest
from langgraph.store.memory import InMemoryStore

from schemas.evidence import Contradiction, Source
from services.evidence.contradictions import check_contradiction, confirmations, difference, settled_copies
from services.run.evidence_store import EvidenceStore
from services.text.copies import fingerprint
from tests.fakes.excerpts import whole

TRENCH = "The Challenger Deep is 10,994 m deep."


def check(*quotes: str, duplicate_of: str | None = None) -> Contradiction | None:
    """Check a contradiction between quotes of different sources; `duplicate_of` is the last one's."""
    excerpts, sources = {}, {}
    for place, quote in enumerate(quotes, 1):
        key = f"hash{place}"
        copied = duplicate_of if place == len(quotes) else None
        sources[key] = Source(
            url=f"{place}.md", title=f"Paper {place}", kind="document", content_hash=key, duplicate_of=copied
        )
        excerpts[f"E{place}-1"] = whole(quote, f"E{place}-1", key)
    return check_contradiction(Contradiction(topic="", excerpt_ids=list(excerpts)), excerpts, sources)


def test_quotes_on_different_subjects_are_no_contradiction() -> None:
    assert check("The recipe needs two eggs.", "The court set nine rulings aside.") is None
    assert check("户外活动后近视率下降。", "今天的菜谱需要两个鸡蛋。") is None


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        (TRENCH, "The Challenger Deep is 10,935 m deep.", "numbers"),
        (TRENCH, "The Challenger Deep is 10.994 km deep.", ""),
        (TRENCH, "该海沟深10935米。", ""),
        ("Challenger Deep was sounded by wire.", "挑战者深渊（Challenger Deep）从未被测量。", ""),
    ],
)
def test_code_says_what_two_sources_differ_in_or_that_it_sees_nothing(one: str, other: str, what: str) -> None:
    found = check(one, other)
    assert found
    assert found.differs == what


def test_one_text_quoted_twice_is_no_contradiction() -> None:
    assert check(TRENCH, TRENCH) is None
    assert check(TRENCH, "  The Challenger   Deep is 10,994 m deep") is None
    assert check(TRENCH, "The Challenger Deep is 10,935 m deep.", duplicate_of="hash1") is None


REST = " ".join(f"The lead of ship number {place} was armed with tallow." for place in range(20))


@pytest.mark.parametrize(
    ("pages", "quotes", "differs"),
    [
        ((f"{TRENCH} {REST} Calm.", f"{TRENCH} {REST} Reprinted."), (TRENCH, "The lead of ship number 7 was armed with tallow."), None),
        ((f"{TRENCH} {REST}", f"{TRENCH.replace('94', '35')} {REST}"), (TRENCH, TRENCH.replace("94", "35")), "numbers"),
    ],
    ids=["copies that only their signatures betray are one source", "versions that differ in a figure are two sides"],
)  # fmt: skip
async def test_texts_of_two_steps_settle_whether_they_are_copies(
    pages: tuple[str, str], quotes: tuple[str, str], differs: str | None
) -> None:
    evidence = EvidenceStore(InMemoryStore())
    keys = [await evidence.put_text(page) for page in pages]
    sources = {
        key: Source(url=key, title="", kind="web", content_hash=key, fingerprint=fingerprint(page))
        for key, page in zip(keys, pages, strict=True)
    }
    named = zip(("E1-1", "E2-1"), keys, quotes, strict=True)
    excerpts = {name: whole(quote, name, key) for name, key, quote in named}
    settled = await settled_copies(sources, list(excerpts.values()), evidence)
    assert [one.duplicate_of for one in settled.values()].count(None) == (2 if differs else 1)
    found = check_contradiction(Contradiction(topic="depth", excerpt_ids=list(excerpts)), excerpts, settled)
    assert (found and found.differs) == differs


def test_excerpts_that_do_not_exist_or_say_nothing_of_it_are_left_out() -> None:
    found = check(TRENCH, "The recipe needs two eggs.", "The Challenger Deep is 10,935 m deep.")
    assert found is not None
    assert found.excerpt_ids == ["E1-1", "E3-1"]
    assert check_contradiction(Contradiction(topic="t", excerpt_ids=["E1-1", "E9-9"]), {}, {}) is None


def test_an_excerpt_may_disagree_with_itself() -> None:
    one = whole("It is 548 km long: 290, 175 and 123 km.")
    named = Contradiction(topic="length", excerpt_ids=["E1-1"], explanation="The parts make 588 km.")
    assert check_contradiction(named, {"E1-1": one}, {}) == named
    assert check_contradiction(named, {}, {}) is None
    two = one.model_copy(update={"quote": f"{TRENCH} The Challenger Deep is 10,935 m deep."})
    assert check_contradiction(named, {"E1-1": two}, {}) == named.model_copy(update={"differs": "numbers"})


OWN = "The Vell lighthouse is 48 metres tall."
OTHERS = "Built in 1871, the lighthouse of Vell stands 48 metres tall."
ENCODED = "%E9%98%AE%E4%B8%80%E5%B3%B0%E7%9A%84"
"""A Chinese name in an address: its digits are no figures."""


def found(*said: tuple[str, str], **copies: str) -> dict[str, list[str]]:
    """Return what confirms what, of quotes with the addresses of their sources; `b="a"` makes the second a copy of the first."""
    keys = "abcdef"
    sources, excerpts = {}, []
    for key, (url, quote) in zip(keys, said, strict=False):
        kind = "web" if url.startswith("http") else "computation" if url.startswith("computation") else "document"
        sources[key] = Source(
            url=url, title="On lighthouses", kind=kind, content_hash=key, duplicate_of=copies.get(key)
        )
        excerpts.append(whole(quote, key))
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
        (
            f"Vell lighthouse is [here](http://a.org/?q={ENCODED}).",
            f"Now Vell lighthouse is [there](http://a.org/?q={ENCODED}).",
        ),
        (f"See http://a.org/w?q={ENCODED}.", f"Vell: http://a.org/w?q={ENCODED}."),
    ],
)
def test_another_number_thing_or_period_confirms_nothing(one: str, other: str) -> None:
    assert found(("https://a.example/x", one), ("https://b.example/y", other)) == {}


def test_the_same_owner_confirms_nothing_but_papers_at_one_address_have_several() -> None:
    assert found(("https://a.example/x", OWN), ("https://www.a.example/y", OTHERS)) == {}
    assert found(("https://arxiv.org/abs/1", OWN), ("https://arxiv.org/abs/2", OTHERS)) == BOTH
    assert found(("https://amy.substack.com/p/1", OWN), ("https://ben.substack.com/p/1", OTHERS)) == BOTH
    assert found(("docs/a.md", OWN), ("docs/b.md", OTHERS)) == BOTH


def test_a_copy_the_same_words_or_a_computation_confirm_nothing() -> None:
    assert found(("https://a.example/x", OWN), ("https://b.example/y", OTHERS), b="a") == {}
    passed_on = f"We have read in a release: {OWN} It will open in May."
    assert found(("https://a.example/x", OWN), ("https://b.example/y", passed_on)) == {}
    assert found(("https://a.example/x", OWN), ("computation:C1", OTHERS)) == {}


OSLO = "Oslo exported 18 tonnes of timber in 2019."
TABLE = "| Harbour | Exports (tonnes) |\n|---|---|\n| Oslo | 18 |\n| Bergen | 30 |"


@pytest.mark.parametrize(
    ("first", "other", "what"),
    [
        (OSLO, "In 2019 Oslo exported 24 tonnes of timber.", "numbers"),
        (OSLO, "Oslo exported 24,000 kilograms of timber in 2019.", "numbers"),
        (TABLE, TABLE.replace("18", "21"), "numbers"),
        ("Myopia fell to 36.7% of the pupils.", "Myopia fell to forty per cent of the pupils.", "numbers"),
        ("马里亚纳海沟最深处为10994米。", "马里亚纳海沟最深处为一万零九百三十五米。", "numbers"),
        ("该方案于2018年8月30日印发。", "该方案于二〇一八年九月一日印发。", "dates"),
        ("The ship left Portsmouth on 21 December 1872.", "The ship left Portsmouth on 7 December 1872.", "dates"),
        (
            "The ship left Portsmouth on 21 December 1872. She had 18 guns.",
            "The ship left Portsmouth on 7 December 1872; it had a crew of 243.",
            "dates",
        ),
        ("Atropine slows the growth of the eye.", "Atropine does not slow the growth of the eye.", "negation"),
        ("Sea level in the harbour rose.", "Sea level in the harbour fell.", "opposites"),
        ("Challenger Deep is 10,994 m deep.", "挑战者深渊（Challenger Deep）深10935米。", "numbers"),
        ("2019年上海港出口量为18吨。", "2019年，上海港出口量为24吨。", "numbers"),
        ("户外活动后近视率下降。", "户外活动后近视率上升。", "opposites"),
    ],
)
def test_other_values_of_one_thing_differ(first: str, other: str, what: str) -> None:
    assert difference(first, other) == difference(other, first) == what


@pytest.mark.parametrize(
    ("first", "other"),
    [
        (OSLO, OSLO),
        (OSLO, "Oslo exported 24 tonnes of timber in 2021."),
        (OSLO, "Oslo exported 24 tonnes of barley in 2019."),
        (OSLO, "Bergen exported 24 tonnes of timber in 2019."),
        (OSLO, "Oslo exported about 18,200 kilograms of timber in 2019."),
        ("The ship left Portsmouth in 1872.", "The ship left Portsmouth on 7 December 1872."),
        ("The dive of the Trieste lasted 5 hours.", "The crew of the Trieste stayed on the bottom for 20 minutes."),
        ("马里亚纳海沟最深处为10994米。", "马里亚纳海沟最深处约为一万一千米。"),
        ("The hall is 24 m long.", "The hall is 30 m wide."),
        (TABLE, "| Harbour | Exports (tonnes) |\n|---|---|\n| Stavanger | 24 |\n| Narvik | 31 |"),
        ("2019年上海港出口量为18吨。", "2019年上海港进口量为24吨。"),
    ],
)
def test_another_thing_time_or_name_is_no_difference(first: str, other: str) -> None:
    assert difference(first, other) == ""
