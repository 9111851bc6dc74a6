"""Converts a model's draft to an executable plan: code fixes what it can, and notes the changes.

Code numbers the steps. Dependencies on unknown steps, and those that would close a circle, are dropped; only a plan
without any step is requested again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from schemas.outline import OutlineNode
from schemas.plan_draft import PlanDraft, StepDraft
from schemas.planner import Plan, PlannerPrompt, Step, queries_of
from services.models.structured_output import within
from services.run.log import log
from services.run.ui_text import say
from services.turn.outline_growth import Growth, grown, looked_up, outline_of_steps

LONGEST_TITLE = 200


def check_draft(draft: PlanDraft) -> PlanDraft:
    """Return a draft that can become a plan.

    Raises:
        ValueError: the draft has no step with content, although information is missing.
    """
    if not draft.has_enough_context and not any(map(_says_something, draft.steps)):
        raise ValueError("the plan has no steps although has_enough_context is false")
    return draft


def settle_draft(draft: PlanDraft, prompt: PlannerPrompt) -> Plan:
    """Convert a draft to a plan: number its steps from `prompt.first_id`, and drop what cannot be executed.

    Returns:
        The plan with its outline, if one was asked for, or with the nodes that it was shown; one that the model did not give is made of
        the steps. `notes` say in the language of the run what code left out.
    """
    title = draft.title.strip() or within(" ".join(prompt.question.split()), LONGEST_TITLE)
    known = [OutlineNode(id=node.id, title=node.title) for node in prompt.outline]
    growth = grown(known, draft.outline if prompt.max_nodes else [], prompt.locale, prompt.max_nodes or len(known))
    plan = Plan(
        locale=prompt.locale, has_enough_context=True, thought=draft.thought, title=title, outline=growth.outline
    )
    settling = _Settling(draft.steps, prompt, growth)
    if not settling.numbers:
        return plan.model_copy(update={"notes": growth.notes})
    needs = settling.dependencies()
    steps = [
        _step(settling.steps[place], number, needs[place], settling.nodes(place), prompt.locale)
        for place, number in settling.numbers.items()
    ]
    outline = growth.outline
    if prompt.max_nodes and not outline:
        own, serving = outline_of_steps(steps[: prompt.max_step_num], prompt.locale, prompt.max_nodes)
        outline, steps = own, [*serving, *steps[prompt.max_step_num :]]
    notes = [*growth.notes, *settling.notes]
    if notes:
        log("plan_settled", left_out=len(notes), steps=len(steps))
    return plan.model_copy(update={"has_enough_context": False, "outline": outline, "steps": steps, "notes": notes})


@dataclass(slots=True)
class _Settling:
    """The steps of a draft with their numbers and dependencies. Places count all steps of the draft, from 0."""

    steps: Sequence[StepDraft]
    prompt: PlannerPrompt
    growth: Growth
    """The outline and the names of its nodes."""
    numbers: dict[int, str] = field(default_factory=dict)
    """Number of each remaining step, by its place in the draft."""
    called: dict[int, str] = field(default_factory=dict)
    """Number of each step by its place; duplicates have the number of the earlier step."""
    names: dict[str, str] = field(default_factory=dict)
    """Numbers of steps by what a dependency may call them: written ids, those of finished steps, titles, numbers, places."""
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        first: dict[tuple[str, ...], int] = {}
        for place, step in enumerate(self.steps):
            if not _says_something(step):
                continue
            same = first.setdefault(_words_of(step), place)
            if same == place:
                self.numbers[place] = str(self.prompt.first_id + len(self.numbers))
            self.called[place] = self.numbers[same]
        called = [*reversed(self.called.items())]
        places = {str(place + 1): number for place, number in called}
        numbers = {str(self.prompt.first_id + place): number for place, number in called}
        titles = {self.steps[place].title.strip().casefold(): number for place, number in called}
        finished = {finding.step_id: finding.step_id for finding in self.prompt.findings}
        written = {self.steps[place].id.strip().casefold(): number for place, number in called}
        self.names = places | numbers | titles | finished | written

    def dependencies(self) -> dict[int, list[str]]:
        """Return the dependencies of each step by its place; those that would form a cycle are dropped."""
        needs: dict[int, list[str]] = {place: [] for place in self.numbers}
        waits: dict[str, set[str]] = {number: set() for number in self.numbers.values()}
        for place, needed in sorted(self._named(), key=lambda pair: int(pair[1]) >= int(self.numbers[pair[0]])):
            number = self.numbers[place]
            if _reaches(waits, needed, number):
                self._note("plan_circle", number, needed)
            elif needed not in needs[place]:
                needs[place].append(needed)
                waits[number].add(needed)
        for place in self.numbers:
            if self._lacks_data(place, needs[place]):
                data_steps = [
                    number for number in self._data_steps() if not _reaches(waits, number, self.numbers[place])
                ]
                needs[place] = data_steps
                waits[self.numbers[place]].update(data_steps)
        return needs

    def nodes(self, place: int) -> list[str]:
        """Return the ids of the nodes that a step serves."""
        served: list[str] = []
        for name in dict.fromkeys(name.strip() for name in self.steps[place].nodes if name.strip()):
            node = self.growth.find(name)
            if node is not None:
                served.append(node)
            elif self.growth.outline:
                self._note("plan_node", self.numbers[place], within(name, 40))
        return list(dict.fromkeys(served))

    def _named(self) -> Iterator[tuple[int, str]]:
        """Yield each dependency on a known step: the place of the dependent step, and the number of the step that it needs."""
        for place, number in self.numbers.items():
            for name in dict.fromkeys(name.strip() for name in self.steps[place].depends_on if name.strip()):
                needed = looked_up(name, self.names)
                if needed is None or needed == number:
                    self._note("plan_dependency", number, within(name, 40))
                else:
                    yield place, needed

    def _lacks_data(self, place: int, needs: Sequence[str]) -> bool:
        """Tell whether a processing step has nothing to work on: no findings, no tables, no tools."""
        step = self.steps[place]
        return step.step_type == "processing" and not (needs or step.tools or self.prompt.tables)

    def _data_steps(self) -> list[str]:
        """Return the steps whose findings a processing step gets: the plan's research, else the finished steps."""
        research = [number for place, number in self.numbers.items() if self.steps[place].step_type == "research"]
        return research or [finding.step_id for finding in self.prompt.findings if finding.status == "done"]

    def _note(self, key: str, number: str, needed: str) -> None:
        self.notes.append(say(key, self.prompt.locale, step=number, needed=needed))


def _step(draft: StepDraft, number: str, needs: list[str], nodes: list[str], locale: str) -> Step:
    numbers = {say("task_step", locale, step=name).casefold() for name in (number, draft.id.strip())}
    texts = [text.strip() for text in (draft.title, draft.description, *draft.queries) if text.strip()]
    texts = [
        text for text in texts if text.casefold() not in numbers
    ] or texts  # a number stands before the title anyway
    step = Step(
        id=number,
        title=within(texts[0], LONGEST_TITLE),
        description=draft.description.strip() or texts[0],
        step_type=draft.step_type,
        need_web_search=draft.need_web_search,
        source_kind=draft.source_kind,
        nodes=nodes,
        queries=draft.queries,
        depends_on=sorted(needs, key=int),
        tools=draft.tools,
    )
    return step.model_copy(update={"queries": queries_of(step)})


def _says_something(step: StepDraft) -> bool:
    return any(text.strip() for text in (step.title, step.description, *step.queries))


def _words_of(step: StepDraft) -> tuple[str, ...]:
    return (
        step.step_type,
        *(" ".join(text.split()).casefold() for text in (step.title, step.description, *step.queries)),
    )


def _reaches(waits: dict[str, set[str]], start: str, end: str) -> bool:
    seen, left = set[str](), [start]
    while left:
        number = left.pop()
        if number == end:
            return True
        if number not in seen:
            seen.add(number)
            left.extend(waits.get(number, ()))
    return False
