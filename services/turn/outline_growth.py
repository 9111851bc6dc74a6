"""The outline as a tree: built from drafts of models and people, and extended by reflections. Nodes are never removed.

Invalid drafts are fixed and noted: duplicates are dropped, and nodes with an unknown or circular parent move to the
top.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from schemas.outline import MOST_NODES, NodeDraft, OutlineNode
from schemas.planner import Plan, Step
from services.models.structured_output import within
from services.run.ui_text import say
from services.text.tokens import pieces

Meaning = TypeVar("Meaning")

LONGEST_TITLE, LONGEST_WANTED = 200, 600
_NUMBER = re.compile(r"\d++(?:\.\d++){0,9}")


@dataclass(frozen=True, slots=True)
class Growth:
    """An outline with newly added nodes."""

    outline: list[OutlineNode]
    """In depth-first order: each node before its children."""
    notes: list[str]
    """Notes on dropped or moved nodes, in the language of the run."""
    names: Mapping[str, str]
    """Node ids by all names of the nodes."""

    def find(self, name: str) -> str | None:
        """Return the id of the node with a name, or None."""
        return looked_up(name, self.names)


def grown(
    outline: Sequence[OutlineNode], drafts: Sequence[NodeDraft], locale: str, max_nodes: int = MOST_NODES
) -> Growth:
    """Add nodes to an outline, which may be empty.

    The new nodes name their parent by id or title; in a first outline also by its place, from 1.
    """
    growing = _Growing(outline, drafts, locale)
    growing.choose(max(0, min(max_nodes, MOST_NODES) - len(outline)))
    growing.add(growing.parents())
    nodes = sorted([*outline, *growing.nodes.values()], key=lambda node: id_key(node.id))
    return Growth(nodes, growing.notes, growing.names())


def outline_of_steps(steps: Sequence[Step], locale: str, max_nodes: int) -> tuple[list[OutlineNode], list[Step]]:
    """Build an outline from steps, for a plan without an outline: each step serves the node with its title."""
    drafts = [NodeDraft(title=step.title, wanted=step.description) for step in steps]
    growth = grown([], drafts, locale, max_nodes)
    serving = [step.model_copy(update={"nodes": known_nodes([step.title], growth)}) for step in steps]
    return growth.outline, serving


def outline_of_review(plan: Plan, outline: Sequence[OutlineNode], locale: str, *, first: bool) -> Plan:
    """Settle the outline of a plan from a person, and the nodes that its steps serve.

    The outline of a first plan is the person's, or is built from the steps. A later outline has evidence: titles may
    change and nodes may be added, but none is removed.
    """
    if first and not plan.outline:
        made, steps = outline_of_steps(plan.steps, locale, MOST_NODES)
        return plan.model_copy(update={"outline": made, "steps": steps})
    reviewed = {node.id: node for node in plan.outline}
    older = [] if first else [_renamed(node, reviewed.get(node.id)) for node in outline]
    known = {node.id for node in older}
    drafts = [
        NodeDraft(id=node.id, title=node.title, wanted=node.wanted, figures=node.figures, under=node.parent)
        for node in plan.outline
        if node.id not in known
    ]
    growth = grown(older, drafts, locale)
    steps = [step.model_copy(update={"nodes": known_nodes(step.nodes, growth)}) for step in plan.steps]
    return plan.model_copy(update={"outline": growth.outline, "steps": steps, "notes": [*plan.notes, *growth.notes]})


def _renamed(node: OutlineNode, reviewed: OutlineNode | None) -> OutlineNode:
    if reviewed is None or not reviewed.title.strip():
        return node
    return node.model_copy(update={"title": within(reviewed.title, LONGEST_TITLE), "wanted": reviewed.wanted})


def without_evidence(outline: Sequence[OutlineNode]) -> list[OutlineNode]:
    """Return an outline without the ids of its excerpts, for a plan."""
    return [node.model_copy(update={"excerpt_ids": [], "also_ids": []}) for node in outline]


def known_nodes(names: Iterable[str], growth: Growth) -> list[str]:
    """Return the ids of the existing nodes with these names, each once."""
    return list(dict.fromkeys(node_id for name in names if (node_id := growth.find(name)) is not None))


def id_key(node_id: str) -> tuple[int, ...]:
    """Return the sort key of an id in tree order: `2` before `2.1`, and `2.1` before `10`."""
    return tuple(int(part) for part in node_id.split(".") if part.isdecimal())


@dataclass(slots=True)
class _Growing:
    """Drafts that are being added to an outline. Places count the drafts, from 0."""

    outline: Sequence[OutlineNode]
    drafts: Sequence[NodeDraft]
    locale: str
    chosen: dict[int, str] = field(default_factory=dict)
    """Titles of the accepted drafts, by place."""
    same: dict[int, int | str] = field(default_factory=dict)
    """Node of each draft with content: the place of an accepted draft, or the id of an existing node."""
    nodes: dict[int, OutlineNode] = field(default_factory=dict)
    """New nodes by place."""
    notes: list[str] = field(default_factory=list)

    def choose(self, room: int) -> None:
        """Drop drafts without content, duplicates, and drafts beyond the available room."""
        first: dict[tuple[str, ...], int | str] = {_words(node.title): node.id for node in self.outline}
        cut = 0
        for place, draft in enumerate(self.drafts):
            title = within(" ".join((draft.title.strip() or draft.wanted).split()), LONGEST_TITLE)
            words = _words(title)
            if not words:
                continue
            if words in first:
                self.notes.append(say("outline_duplicate", self.locale, title=title))
            elif len(self.chosen) >= room:
                cut += 1
                continue
            else:
                first[words] = place
                self.chosen[place] = title
            self.same[place] = first[words]
        if cut:
            self.notes.append(say("outline_limit", self.locale, limit=len(self.outline) + room, count=cut))

    def parents(self) -> dict[int, int | str]:
        """Return the parent of each draft: a place, an id, or an empty string at the top."""
        below: dict[int, int | str] = {}
        meanings = self._meanings()
        for place in self.chosen:
            name = self.drafts[place].under.strip()
            above = looked_up(name, meanings) if name and name != "0" else ""
            if above is None:
                self.notes.append(say("outline_parent", self.locale, title=self.chosen[place], parent=within(name, 40)))
            elif _circles(place, above, below):
                self.notes.append(say("outline_circle", self.locale, title=self.chosen[place]))
                above = None
            below[place] = "" if above is None else above
        return below

    def add(self, below: Mapping[int, int | str]) -> None:
        """Give ids to the nodes, parents first: the next number that was never used below the parent."""
        highest: dict[str, int] = {}
        for node in self.outline:
            number = id_key(node.id)[-1:]
            highest[node.parent] = max(highest.get(node.parent, 0), *number)
        waiting = list(self.chosen)
        while waiting:
            ready = [place for place in waiting if isinstance(below[place], str) or below[place] in self.nodes]
            for place in ready:
                above = below[place]
                parent = above if isinstance(above, str) else self.nodes[above].id
                highest[parent] = highest.get(parent, 0) + 1
                self.nodes[place] = OutlineNode(
                    id=f"{parent}.{highest[parent]}" if parent else str(highest[parent]),
                    title=self.chosen[place],
                    wanted=within(" ".join(self.drafts[place].wanted.split()), LONGEST_WANTED),
                    figures=self.drafts[place].figures,
                    parent=parent,
                )
            done = set(ready)
            waiting = [place for place in waiting if place not in done]

    def names(self) -> dict[str, str]:
        """Return the ids of nodes by all of their names."""
        named = {
            name: same if isinstance(same, str) else self.nodes[same].id for name, same in self._meanings().items()
        }
        return {node.id: node.id for node in self.nodes.values()} | named

    def _meanings(self) -> dict[str, int | str]:
        """Return the place of a draft, or the id of a node, by all of its names: titles, places in a first outline, written ids, ids."""
        names: dict[str, int | str] = {title.casefold(): place for place, title in self.chosen.items()}
        names |= {node.title.casefold(): node.id for node in self.outline}
        names |= {} if self.outline else {str(place + 1): same for place, same in self.same.items()}
        written = {self.drafts[place].id.strip().casefold(): same for place, same in reversed(self.same.items())}
        names |= {name: same for name, same in written.items() if name}
        return names | {node.id: node.id for node in self.outline}


def looked_up(name: str, names: Mapping[str, Meaning]) -> Meaning | None:
    """Look a name up unchanged, else by the only number in it (`Node 2`)."""
    name = name.strip().casefold()
    if name in names:
        return names[name]
    numbers = _NUMBER.findall(name[:40])
    return names.get(numbers[0]) if len(numbers) == 1 else None


def _circles(place: int, above: int | str, below: Mapping[int, int | str]) -> bool:
    while isinstance(above, int):
        if above == place:
            return True
        above = below.get(above, "")
    return False


def _words(title: str) -> tuple[str, ...]:
    return tuple(pieces(title))
