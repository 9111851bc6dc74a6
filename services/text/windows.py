"""Selects the sentences of a passage that say most about a question: the quote, if no model chooses sentences."""

from services.text.passages import kind_of, may_join, sentences
from services.text.tokens import tokens
from services.text.units import units


def widen(text: str, window: tuple[int, int], limit: int) -> tuple[int, int]:
    """Return a window with the sentences around it, as many as `limit` characters hold, those after it first; titles and values are no part of them.

    A window that says little, as a heading does, takes the next sentence with it even at twice the limit, and one that ends with a colon
    what it announces.
    """
    start, end = window
    spans = [(span.start, span.end, kind_of(text, span.start, span.end)) for span in sentences(text)]
    quoted = [kind for first, last, kind in spans if start <= first and last <= end]
    after = [(last, kind) for _, last, kind in spans if last > end]
    before = [(first, kind) for first, _, kind in reversed(spans) if first < start]
    while True:
        room = 2 * limit if 4 * (end - start) < limit else limit
        if after and after[0][0] - start <= room and may_join(quoted, after[0][1]):
            end, kind = after.pop(0)
            quoted.append(kind)
        elif before and end - before[0][0] <= limit and may_join(quoted, before[0][1], above=True):
            start, kind = before.pop(0)
            quoted.insert(0, kind)
        else:
            break
    if text[start:end].endswith((":", "：")):  # goes on with the table, list or code that it announces
        below = len(text) - len(text[end:].lstrip())
        gap = text.find("\n\n", below)
        block = [last for first, last, _ in spans if below <= first and (gap < 0 or first < gap)]
        end = max([end, *(last for last in block if last - start <= 2 * limit)])
    return start, end


MOST_SENTENCES = 20
"""Sentences of a window: each further one must hold a term more to be worth its room."""


def best_window(text: str, question: str, limit: int) -> tuple[int, int]:
    """Return start and end of the run of whole sentences, at most `limit` characters, that holds most of the question's terms.

    A heading is not quoted where there is anything else. Ties go to the earlier and shorter run. A single sentence over the limit is returned whole.
    Of a text without any of the terms, as one in another language, its beginning is returned, as far as the limit holds.
    """
    wanted = set(tokens(question))
    spans = [(span.start, span.end) for span in units(text)] or [(0, len(text))]
    held = [wanted & set(tokens(text[start:end])) for start, end in spans]
    beginning = [end for _, end in spans if end - spans[0][0] <= limit] or [spans[0][1]]
    best, best_score = (spans[0][0], beginning[-1]), 0.0
    for first in (
        place for place, terms in enumerate(held) if terms
    ):  # no best run begins with a sentence that holds none
        covered: set[str] = set()
        for last in range(first, min(first + MOST_SENTENCES, len(spans))):
            start, end = spans[first][0], spans[last][1]
            if last > first and end - start > limit:
                break
            covered |= held[last]
            score = len(covered) - (last - first) * 0.1
            if score > best_score:
                best, best_score = (start, end), score
    return best
