"""When another plan is due, what it looks for, and where sources disagree."""

import pytest

from tests.services.models.offline.prompts_of import finding, reflect

BRIDGE = "Where was the engineer who built the Skerryvore lighthouse born?"
FIRST = finding("The Skerryvore lighthouse was built by the engineer Alan Stevenson.")


def test_a_name_that_was_found_leads_on() -> None:
    judged = reflect(BRIDGE, FIRST)
    assert not judged.has_enough_context
    assert any("Alan Stevenson" in query and "born" in query for query in judged.follow_up_queries)


def test_a_chinese_name_that_was_found_leads_on() -> None:
    judged = reflect("主持珊瑚修复试验的学者毕业于哪所大学？", finding("珊瑚修复试验由陈海平主持，在三处礁盘进行。"))
    assert any("陈海平" in query for query in judged.follow_up_queries)


def test_a_second_hop_that_was_found_ends_the_loop() -> None:
    second = finding("Alan Stevenson, the engineer, was born in Edinburgh in 1807.", step="2")
    assert reflect(BRIDGE, FIRST, second, plans=2).has_enough_context


def test_a_second_plan_that_found_nothing_new_ends_the_loop() -> None:
    again = finding("The Skerryvore lighthouse was built by the engineer Alan Stevenson.", step="2")
    named = again.model_copy(update={"title": "Alan Stevenson born"})
    assert reflect(BRIDGE, FIRST, named, plans=2).has_enough_context


def test_an_ordinary_question_is_enough_after_one_plan() -> None:
    found = finding("Alan Stevenson completed the Skerryvore lighthouse in 1844 for the Northern Lighthouse Board.")
    assert reflect("In which year was the Skerryvore lighthouse finished?", found).has_enough_context


def test_no_evidence_is_not_enough_and_a_failed_step_is_tried_again_once() -> None:
    failed = finding(status="failed")
    judged = reflect(BRIDGE, failed)
    assert not judged.has_enough_context
    assert [verdict.redo for verdict in judged.steps] == [True]
    assert not reflect(BRIDGE, failed.model_copy(update={"attempts": 2})).steps[0].redo


def test_two_sources_with_different_figures_for_one_thing_disagree() -> None:
    quotes = (
        "The granite tower of Skerryvore is 48 metres tall above the reef.",
        "The granite tower of Skerryvore is 42 metres tall above the reef.",
    )
    [conflict] = reflect("How tall is the tower of Skerryvore?", finding(*quotes)).contradictions
    assert conflict.excerpt_ids == ["E1-1", "E1-2"]
    assert "48" in conflict.explanation
    assert "42" in conflict.explanation


def test_two_sources_that_disagree_on_one_thing_are_named_once() -> None:
    tall = "The granite tower of Skerryvore is {} metres tall above the reef."
    quotes = (tall.format(48), tall.format(42), f"{tall.format(42)} Keepers lived in it.")
    [conflict] = reflect("How tall is the tower?", finding(*quotes, titles=("A", "B", "B"))).contradictions
    assert conflict.excerpt_ids == ["E1-1", "E1-2"]


def test_figures_of_one_source_or_of_different_things_do_not_disagree() -> None:
    same = finding(
        "The tower is 48 metres tall above the reef.", "The tower is 42 metres tall above the reef.", titles=("A", "A")
    )
    assert reflect("How tall is the tower?", same).contradictions == []
    other = finding("The tower of Skerryvore is 48 metres tall.", "Sheep on Tiree walk 12 metres a minute in the wind.")
    assert reflect("How tall is the tower?", other).contradictions == []


@pytest.mark.parametrize(
    ("one", "other", "topic"),
    [
        (
            "In 1844 the granite tower of Skerryvore was 48 metres tall.",
            "It is known that the granite tower of Skerryvore was 42 metres tall.",
            "granite tower of Skerryvore",
        ),
        ("斯克里沃灯塔的石塔高48米。", "据记载，斯克里沃灯塔的石塔高42米。", "斯克里沃灯塔的石塔高"),
    ],
)
def test_a_disagreement_is_named_in_words_that_both_sides_say(one: str, other: str, topic: str) -> None:
    [conflict] = reflect("How tall is the tower?", finding(one, other)).contradictions
    assert conflict.topic == topic


def test_figures_of_two_subjects_or_of_two_periods_are_no_contradiction() -> None:
    for one, other in [
        ("In the ATOM1 trial the mean change of the children over two years was 28 percent.", "In the LAMP trial the mean change of the children over two years was 66 percent."),
        ("There were 22 names on the waiting list of the club in 1871.", "There were 57 names on the waiting list of the club in 1873."),
    ]:  # fmt: skip
        evidence = finding(one, other)
        apart = [item.model_copy(update={"title": title}) for item, title in zip(evidence.evidence, "AB", strict=True)]
        assert reflect("What was found?", evidence.model_copy(update={"evidence": apart})).contradictions == []
