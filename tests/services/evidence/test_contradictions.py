"""A contradiction has two sources on one subject; code says what they differ in, or that it sees nothing."""

import pytest
from langgraph.store.memory import InMemoryStore

from schemas.evidence import Contradiction, Excerpt, Source
from services.evidence.contradictions import check_contradiction
from services.evidence.copy_resolution import settled_copies
from services.run.evidence_store import EvidenceStore
from services.text.copies import fingerprint

TRENCH = "The Challenger Deep is 10,994 m deep."


def check(
    *quotes: str, topic: str = "", titles: tuple[str, ...] = (), duplicate_of: str | None = None
) -> Contradiction | None:
    """Check a contradiction between quotes of different sources; `duplicate_of` is the last one's."""
    excerpts, sources = {}, {}
    for place, quote in enumerate(quotes, 1):
        key = f"hash{place}"
        copied = duplicate_of if place == len(quotes) else None
        title = titles[place - 1] if titles else f"Paper {place}"
        sources[key] = Source(url=f"{place}.md", title=title, kind="document", content_hash=key, duplicate_of=copied)
        excerpts[f"E{place}-1"] = Excerpt(id=f"E{place}-1", content_hash=key, quote=quote, start=0, end=len(quote))
    return check_contradiction(Contradiction(topic=topic, excerpt_ids=list(excerpts)), excerpts, sources)


def differs(one: str, other: str, titles: tuple[str, ...] = ()) -> str | None:
    found = check(one, other, titles=titles)
    return found.differs if found else None


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        (TRENCH, "The Challenger Deep is 10,935 m deep.", "numbers"),
        ("The ship left Portsmouth on 21 December 1872.", "The ship left Portsmouth on 7 December 1872.", "dates"),
        ("Atropine slows the growth of the eye.", "Atropine does not slow the growth of the eye.", "negation"),
        ("Sea level in the harbour rose.", "Sea level in the harbour fell.", "opposites"),
        ("户外活动后近视率下降。", "户外活动后近视率上升。", "opposites"),
    ],
)
def test_code_says_what_two_sources_differ_in(one: str, other: str, what: str) -> None:
    assert differs(one, other) == what
    assert differs(other, one) == what


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TRENCH, "The Challenger Deep is 10.994 km deep."),
        ("该方案于2018年印发。", "该方案于2018年9月1日印发。"),
    ],
)
def test_what_may_be_the_same_in_other_words_is_not_confirmed(one: str, other: str) -> None:
    assert not differs(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The recipe needs two eggs.", "The court set nine rulings aside."),
        ("户外活动后近视率下降。", "今天的菜谱需要两个鸡蛋。"),
    ],
)
def test_quotes_on_different_subjects_are_no_contradiction(one: str, other: str) -> None:
    assert check(one, other) is None


def test_quotes_in_two_languages_are_kept_and_not_confirmed() -> None:
    assert differs("The Mariana Trench is 10,994 m deep.", "该海沟深10935米。") == ""
    assert differs("Challenger Deep was sounded by wire.", "挑战者深渊（Challenger Deep）从未被测量。") == ""
    assert differs("Challenger Deep is 10,994 m deep.", "挑战者深渊（Challenger Deep）深10935米。") == "numbers"


@pytest.mark.parametrize(
    ("other", "duplicate_of"),
    [
        (TRENCH, None),
        ("  The Challenger   Deep is 10,994 m deep", None),
        ("The Challenger Deep is 10,935 m deep.", "hash1"),
    ],
)
def test_one_text_quoted_twice_is_no_contradiction(other: str, duplicate_of: str | None) -> None:
    assert check(TRENCH, other, duplicate_of=duplicate_of) is None


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
    excerpts = {
        f"E{place}-1": Excerpt(id=f"E{place}-1", content_hash=key, quote=quote, start=0, end=len(quote))
        for place, (key, quote) in enumerate(zip(keys, quotes, strict=True), 1)
    }
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
    one = Excerpt(id="E1-1", content_hash="a", quote="It is 548 km long: 290, 175 and 123 km.", start=0, end=39)
    named = Contradiction(topic="length", excerpt_ids=["E1-1"], explanation="The parts make 588 km.")
    assert check_contradiction(named, {"E1-1": one}, {}) == named
    assert check_contradiction(named, {}, {}) is None
    two = one.model_copy(update={"quote": f"{TRENCH} The Challenger Deep is 10,935 m deep."})
    assert check_contradiction(named, {"E1-1": two}, {}) == named.model_copy(update={"differs": "numbers"})
