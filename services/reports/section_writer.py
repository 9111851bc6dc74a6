"""Writes one section from its excerpts: in portions if one prompt cannot hold them, continued if it is far too short."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from schemas.evidence import Contradiction, Excerpt
from schemas.evidence_view import EvidenceView
from schemas.outline import Section
from schemas.reporter import ReporterPrompt
from schemas.reporter_section import ReporterSectionPrompt, SectionExcerpt
from services.models import write
from services.models.prompt_fit import passage_tokens
from services.reports.citation_forms import inferences_in_words, plain_citations
from services.reports.section_evidence import Surroundings, beside_each_other
from services.reports.wishes import NEAR
from services.run.budget import limit_message
from services.run.errors import LimitReached, ModelError, UselessAnswer
from services.run.roles import DEFAULTS
from services.run.ui_text import say
from services.text.length import words_in
from services.text.quotable import as_line

TEMPLATE = "reporter_section"
TOKENS_A_WORD = 2.0
"""Tokens per word, including citations and marks."""
LEAST_MORE = 60
"""Minimum missing words for a section to be continued."""
_HEADING = re.compile(r"\A#{1,2}[ ][^\n]*+\n++")
OnText = Callable[[str], None]


@dataclass(slots=True)
class SectionEvidence:
    """All evidence of the sections."""

    views: dict[str, EvidenceView]
    """Excerpts in the models' form, by id."""
    excerpts: dict[str, Excerpt]
    around: dict[str, Surroundings] = field(default_factory=dict)
    """Surroundings of quotes, by excerpt id."""

    def of(self, section: Section) -> list[SectionExcerpt]:
        """Return a section's excerpts in order, each with its surroundings."""
        part_of = {key: part.title for part in section.parts for key in part.excerpt_ids}
        ids = [key for key in section.all_ids if key in self.views]
        beside = beside_each_other([self.excerpts[key] for key in ids if key in self.excerpts], self.around)
        shown: list[SectionExcerpt] = []
        for key in ids:
            before, after = beside.get(key, ("", ""))
            view = self.views[key].model_dump()
            shown.append(SectionExcerpt(**view, part=part_of.get(key, ""), before=before, after=after))
        return shown

    def shared(self, section: Section, contradictions: Sequence[Contradiction], room: int) -> list[EvidenceView]:
        """Return excerpts of other sections that a section may use: other sides of its contradictions, and assigned ones that fit `room` tokens."""
        own = set(section.all_ids)
        sides = (key for item in contradictions if own & set(item.excerpt_ids) for key in item.excerpt_ids)
        ids = dict.fromkeys([*sides, *section.shared_ids])
        unique: dict[tuple[str, str], EvidenceView] = {}
        for view in (self.views[key] for key in ids if key in self.views and key not in own):
            unique.setdefault((view.title, view.quote), view)
        items = list(unique.values())
        used = accumulate(passage_tokens(item.quote) for item in items)
        return [item for item, tokens in zip(items, used, strict=True) if tokens <= room]

    def words(self, section: Section) -> int:
        """Count the quotable words of a section."""
        ids = [*section.all_ids, *section.shared_ids]
        return sum(words_in(self.views[key].quote) for key in ids if key in self.views)


@dataclass(frozen=True, slots=True)
class Portion:
    """Part of a section that one call writes, up to a whole section."""

    number: int
    """Number of its section, from 1."""
    passages: list[SectionExcerpt]
    words: int
    """Target number of words."""
    fewest: int
    """Minimum number of words."""
    place: int = 1
    """Number among the portions of its section, from 1."""
    portions: int = 1
    shared: list[EvidenceView] = field(default_factory=list)
    """Excerpts of other sections that it may use."""


def portions_of(
    number: int,
    passages: Sequence[SectionExcerpt],
    room: int,
    words: int,
    fewest: int,
    shared: Sequence[EvidenceView] = (),
) -> list[Portion]:
    """Split a section's excerpts into portions of similar size, each within the room of a prompt, in tokens of evidence.

    Words are those of the whole section; the first portion may use the shared excerpts of other sections.
    """
    sizes = [passage_tokens(f"{item.before}{item.quote}{item.after}") for item in passages]
    count = max(1, -(-sum(sizes) // max(1, room)))
    share = sum(sizes) / count
    groups: list[list[SectionExcerpt]] = [[]]
    used = 0
    for item, size in zip(passages, sizes, strict=True):
        if groups[-1] and used + size / 2 > share * len(groups) and len(groups) < count:
            groups.append([])
        groups[-1].append(item)
        used += size
    count, portions = len(groups), []
    for place, group in enumerate(groups, 1):
        also = list(shared if place == 1 else ())
        portions.append(Portion(number, group, words // count, fewest // count, place, count, also))
    return portions


@dataclass(slots=True)
class SectionWriter:
    """Writes the sections of one report."""

    prompt: ReporterPrompt
    """The reporter's prompt."""
    sections: list[Section]
    limits: list[str] = field(default_factory=list)
    """Reached limits, in the user's language."""
    by_limit: list[LimitReached] = field(default_factory=list)
    """Limits that left no room for a portion, one for each."""

    async def portion(self, portion: Portion, on_text: OnText, *, alone: bool) -> str | None:
        """Write one portion, and call `on_text` with each piece; if that fails, quote its evidence.

        Unless it is written alone, None is returned where the others leave no room: they reserve it for their longest answers.
        """
        locale = self.prompt.locale
        try:
            return await self.written(portion, on_text)
        except (LimitReached, ModelError) as problem:
            if isinstance(problem, LimitReached):
                if not alone and problem.key != "time_limit":
                    return None
                self.by_limit.append(problem)
            self.limits.append(limit_message(problem, locale))
            self.limits.append(say("section_by_rules", locale, title=self.sections[portion.number - 1].title))
        text = "\n\n".join(f"> {as_line(item.quote)} [{item.id}]" for item in portion.passages)
        on_text(text)
        return text

    async def written(self, portion: Portion, on_text: OnText) -> str:
        """Let the model write one portion; if it is far too short and omits evidence that answers a step, continue it once.

        Raises:
            LimitReached: the budget or the time left does not suffice for the call.
            ModelError: the endpoint failed, or returned no text.
        """
        text = await self._call(portion, portion.passages, portion.words, "", on_text)
        missing = portion.fewest - words_in(text)
        unused = [item for item in portion.passages if item.id not in text]
        telling = any(item.relevance == "high" for item in unused)
        if missing < max(LEAST_MORE, NEAR * portion.fewest) or not telling:
            return text
        on_text("\n\n")
        try:
            more = await self._call(portion, unused, missing, inferences_in_words(text), on_text)
        except UselessAnswer:
            return text
        except (LimitReached, ModelError) as problem:
            self.limits.append(limit_message(problem, self.prompt.locale))
            return text
        return f"{text}\n\n{more}" if re.search(r"\w", more) else text

    async def _call(
        self, portion: Portion, passages: Sequence[SectionExcerpt], words: int, written: str, on_text: OnText
    ) -> str:
        prompt = self.prompt
        usable: list[EvidenceView] = [*passages, *portion.shared]
        shown = {item.id for item in usable}
        variables = ReporterSectionPrompt(
            **prompt.model_dump(include={"question", "locale", "today", "tone", "wishes"}),
            outline=self.sections,
            number=portion.number,
            words=words,
            portion=portion.place,
            portions=portion.portions,
            written=written,
            passages=list(passages),
            shared=[] if written else portion.shared,
            contradictions=[item for item in prompt.contradictions if shown & set(item.excerpt_ids)],
            outdated=[key for key in prompt.outdated if key in shown],
        )
        streamed: list[str] = []

        def on_token(token: str) -> None:
            streamed.append(token)
            on_text(token)

        scale = max(1.0, words * TOKENS_A_WORD / DEFAULTS["reporter"][1])
        reply = await write("reporter", variables, scale=scale, template=TEMPLATE, on_token=on_token)
        text = plain_citations(reply.text, shown)
        if reply.cut_off:
            self.limits.append(say("cut_off", prompt.locale))
        text = _HEADING.sub("", text.strip())
        if not streamed:
            on_text(text)
        return text


def evidence_of_prompt(prompt: ReporterPrompt, excerpts: Mapping[str, Excerpt]) -> SectionEvidence:
    """Return the evidence of a reporter's prompt with its offsets."""
    views = {item.id: item for finding in prompt.findings for item in finding.evidence}
    views |= {item.id: item for item in prompt.background}
    return SectionEvidence(views, {key: excerpts[key] for key in views if key in excerpts})
