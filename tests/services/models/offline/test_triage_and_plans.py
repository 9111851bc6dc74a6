"""What becomes of a message, and which steps a question is given."""

import pytest

from schemas.coordinator import CoordinatorPrompt, Triage, Turn
from schemas.profile import Profile, Replies, Scope, Topic
from tests.services.models.offline.prompts_of import ask, finding, plan, triage

TABLE = "rain.csv: 30 rows; columns: station: text, 2 different, e.g. Bergen | Oslo; year: number, 1990 to 2020; rainfall_mm: number, 500 to 3000"


@pytest.mark.parametrize(
    ("message", "intent"),
    [
        ("Hello!", "greeting"),
        ("谢谢", "greeting"),
        ("it?", "unclear"),
        ("Please translate this text into French: good morning", "not_research"),
        ("翻译下面这段话：你好，世界", "not_research"),
        ("Who discovered the moons of Mars?", "in_scope"),
        ("谁发现了火星的卫星？", "in_scope"),
    ],
)
def test_a_message_is_taken_for_what_it_is(message: str, intent: str) -> None:
    assert triage(message).intent == intent


@pytest.mark.parametrize(
    ("message", "locale"),
    [("When did it open?", "en-US"), ("它什么时候开放？", "zh-CN"), ("Wer ist der Autor und wann war das?", "de-DE")],
)
def test_the_language_is_that_of_the_message(message: str, locale: str) -> None:
    assert triage(message).locale == locale


@pytest.mark.parametrize(
    ("follow_up", "earlier", "name"),
    [
        ("When was he born?", "What did Alan Stevenson build?", "Alan Stevenson"),
        ("And in which year?", "Who built the lighthouse at Skerryvore?", "Skerryvore"),
    ],
)
def test_a_follow_up_is_completed_from_the_conversation(follow_up: str, earlier: str, name: str) -> None:
    answer = triage(follow_up, earlier)
    assert answer.rewritten
    assert name in answer.question


@pytest.mark.parametrize(
    ("earlier", "said", "question"),
    [
        (
            "Who owned the schooner Ada Blackwood?",
            "The schooner was the Ada Blackwood, and her owner was Sir Hugh Merton.",
            "Where was Hugh Merton born?",
        ),
        ("What did Alan Stevenson build?", "He built it with Thomas Smith.", "Where was Alan Stevenson born?"),
    ],
)
def test_a_pronoun_after_a_question_for_a_person_stands_for_the_person_of_the_answer(
    earlier: str, said: str, question: str
) -> None:
    turns = [Turn(role="user", text=earlier), Turn(role="assistant", text=said)]
    prompt = CoordinatorPrompt(question="And where was he born?", conversation=turns, profile=None, locale="auto")
    assert ask(prompt, Triage).question == question


def test_a_profile_sets_the_scope_and_the_words() -> None:
    profile = Profile(
        name="lights",
        description="lighthouses",
        scope=Scope(
            core=[Topic(topic="lighthouses", keywords=["lighthouse"])],
            outside=[Topic(topic="cooking", keywords=["recipe"])],
        ),
        replies=Replies(out_of_scope="Only lights here."),
    )
    refused = triage("Which recipe has the most garlic?", profile=profile)
    assert (refused.intent, refused.reply) == ("out_of_scope", "Only lights here.")
    assert triage("Which lighthouse is the tallest?", profile=profile).intent == "in_scope"


@pytest.mark.parametrize(
    "question", ["Who built Skerryvore, and when was Bell Rock lit?", "谁建造了斯克里沃灯塔？贝尔罗克灯塔何时点亮？"]
)
def test_each_clause_gets_a_step_with_queries_that_are_no_questions(question: str) -> None:
    steps = plan(question).steps
    assert len(steps) == 2
    assert all(1 <= len(step.queries) <= 5 for step in steps)
    assert not any(query.endswith(("?", "？")) for step in steps for query in step.queries)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("How deep is the Challenger Deep, and who measured it?", "Who measured it (Challenger Deep)"),
        ("挑战者深渊有多深，是谁测量它的？", "是谁测量它的（挑战者深渊有多深）"),
    ],
)
def test_a_clause_that_leans_on_the_one_before_names_its_subject_in_brackets(question: str, title: str) -> None:
    assert plan(question).steps[1].title == title


def test_a_comparison_gets_a_step_for_each_side() -> None:
    first, second = plan("Compare the Fresnel lens and the catoptric reflector").steps
    assert "Fresnel" in " ".join(first.queries)
    assert "catoptric" in " ".join(second.queries)


def test_a_computation_over_a_table_waits_for_nothing() -> None:
    steps = plan("What is the mean rainfall at Bergen in the table?", tables=[TABLE]).steps
    assert [step.depends_on for step in steps if step.step_type == "processing"] == [[]]


def test_a_table_about_something_else_asks_for_no_computation() -> None:
    steps = plan("What was the total cost of the lighthouse?", tables=[TABLE]).steps
    assert all(step.step_type == "research" for step in steps)


def test_a_replan_looks_only_for_the_gaps() -> None:
    steps = plan(
        "Where was the builder of Skerryvore born?",
        findings=[finding("Alan Stevenson built it.")],
        gaps=["Alan Stevenson born"],
    ).steps
    assert [step.queries for step in steps] == [["Alan Stevenson born"]]


def test_the_limit_on_steps_holds() -> None:
    question = "Who built Skerryvore, when was Bell Rock lit, and why did Eddystone burn?"
    assert len(plan(question, max_step_num=2).steps) == 2


@pytest.mark.parametrize("question", ["What is zstd?", "What does xz do?", "How does gpg work?"])
def test_a_term_of_any_letters_can_be_asked_about(question: str) -> None:
    assert triage(question).intent == "in_scope"


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("Compare Ann, Tom and Jo", ["Ann", "Tom", "Jo"]),
        ("Compare how Ann, Tom and Jo kept the lamp", ["Ann: kept lamp", "Tom: kept lamp", "Jo: kept lamp"]),
        ("Compare Ann, Tom and Jo's exile: causes and course", ["Ann: exile", "Tom: exile", "Jo: exile"]),
        ("Compare Moore's law and Amdahl's law", ["Moore's law", "Amdahl's law"]),
        ("Compare solar and wind power: cost and land use", ["Solar: cost", "Wind power: cost"]),
        ("How do granite, brick and timber differ?", ["Granite", "Brick", "Timber"]),
        ("比较花岗岩、砖和木材", ["花岗岩", "砖", "木材"]),
    ],
)
def test_three_things_that_are_compared_are_three_steps(question: str, titles: list[str]) -> None:
    assert [step.title.split(":")[0] for step in plan(question).steps] == [title.split(":")[0] for title in titles]
