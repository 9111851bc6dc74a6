"""Merges the wishes of a question with the settings of its run: a question narrows what may be searched, and never widens it.

A text that a message brings along is told from its request here, too.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from schemas.context import RunContext
from schemas.coordinator import Triage
from schemas.options import is_language
from schemas.wishes import Wishes, WishName
from services.text.dates import first_day, last_day
from services.text.tokens import tokens

MAX_WORDS = 50_000
LONG = 2_000
"""Characters from which a message of several paragraphs brings a text along."""
_AROUND = ' \n\t:："“”«「『'
"""What stands between a request and the text behind it."""


_FIELDS: Mapping[WishName, Sequence[str]] = {"form": ("shape", "columns", "form"), "words": ("words", "at_most")}
"""Fields of wishes that have more than that of their name."""


class Obeyed(NamedTuple):
    """A run's choices with the wishes of its question, and the wishes that its settings do not allow."""

    context: RunContext
    refused: list[WishName]


def wishes_of(triage: Triage | None) -> Wishes:
    """Return the wishes of a turn's question; none before it was read."""
    return triage.wishes if triage is not None else Wishes()


def answer_locale(triage: Triage, context: RunContext) -> str:
    """Return the locale of the answer: what its question asks for, then what the run chose, then that of the question."""
    locale = obeyed(context, triage.wishes).context.locale
    return triage.locale if locale == "auto" else locale


def obeyed(context: RunContext, wishes: Wishes) -> Obeyed:
    """Merge the wishes of a question with the settings of its run.

    Sites and dates hold together with those of the settings; where nothing is left, the settings hold. Language, length and
    form are of the question, as it was asked for by itself.
    """
    chosen = context.wishes
    form = wishes if wishes.shape or wishes.columns or wishes.form else chosen
    after = max(first_day(wishes.after), first_day(chosen.after))
    before = min(filter(None, [last_day(wishes.before), last_day(chosen.before)]), default="")
    refused: list[WishName] = []
    if after and before and after > before:
        refused += ["after"] if wishes.after else []
        refused += ["before"] if wishes.before else []
        after, before = first_day(chosen.after), last_day(chosen.before)
    sites = domains([*wishes.sites, *(wishes.pages if wishes.sites else [])])
    only = narrowed(context.include_domains, sites)
    if sites and not only:
        refused.append("sites")
        only = context.include_domains
    update = {
        "wishes": chosen.model_copy(
            update={
                **{name: getattr(form, name) for name in ("shape", "columns", "form")},
                "at_most": wishes.at_most if wishes.words else chosen.at_most,
                "readers": wishes.readers or chosen.readers,
                "after": after,
                "before": before,
            }
        ),
        "include_domains": only if sites else context.include_domains,
        "exclude_domains": list(dict.fromkeys([*context.exclude_domains, *domains(wishes.without_sites)])),
        "words": min(wishes.words, MAX_WORDS) or context.words,
        "locale": wishes.language or context.locale,
    }
    return Obeyed(context.model_copy(update=update), refused)


def narrowed(allowed: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Return the domains that lie below an allowed and a wanted one; all wanted ones where all are allowed."""
    if not allowed:
        return list(wanted)
    return list(
        dict.fromkeys(
            max(domain, other, key=len)
            for domain in domains(allowed)
            for other in wanted
            if f".{domain}".endswith(f".{other}") or f".{other}".endswith(f".{domain}")
        )
    )


def domains(names: Sequence[str]) -> list[str]:
    """Return what is a domain among names of sites, without what stands around it."""
    bare = (re.sub(r"^(?:[a-z]+://)?(?:\*?\.)?(?:www\.)?([^/:?#]*).*$", r"\1", name.strip().lower()) for name in names)
    return list(dict.fromkeys(name for name in bare if re.fullmatch(r"(?:[a-z0-9_-]+\.)+[a-z0-9-]+", name)))


def followed_wishes(wishes: Wishes, ignored: Collection[WishName]) -> Wishes:
    """Return wishes without those that are not followed."""
    gone = {field for name in ignored for field in _FIELDS.get(name, (name,))}
    return Wishes(**{field: value for field, value in wishes if field not in gone})


def settled_wishes(wishes: Wishes, message: str, question: str = "") -> Wishes:
    """Return the wishes that words of a message ask for and that can be followed.

    Where the model left the `question` as the message has it, words that leave not two others of it are its subject, and no wish.
    """
    held = _bare(message)
    said = {words: _bare(words) for words in wishes.said}
    confirmed = [words for words, bare in said.items() if bare and bare in held]
    if _bare(question) in {"", held}:
        left = held
        for words in confirmed:
            left = left.replace(said[words], " ")
        confirmed = confirmed if len(tokens(left, keep_stop_words=True)) > 1 else []
    accepted = wishes if confirmed else Wishes(pasted=wishes.pasted)
    return accepted.model_copy(
        update={
            "said": confirmed,
            "language": accepted.language if is_language(accepted.language) else "",
            "after": first_day(accepted.after),
            "before": last_day(accepted.before),
            "sites": domains(accepted.sites),
            "without_sites": domains(accepted.without_sites),
        }
    )


def _bare(text: str) -> str:
    """Return the words of a text, without case and punctuation."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def pasted_text(message: str, begins: str = "") -> tuple[str, str]:
    """Split a message into its request and the text pasted with it, which may be empty.

    The request is the first or the last paragraph, whichever is shorter.
    The text begins with the words that a model has named, if it has; where they stand amid a sentence, they are the request's own.
    """
    words = r"\s+".join(map(re.escape, begins.split()))
    match = re.search(words, message) if words else None
    if match and re.search(r"\w,?[ \t]*$", message[: match.start()]):
        match = None
    if match and (request := message[: match.start()].strip(_AROUND)):
        return request, message[match.start() :].strip()
    if not match and len(message) < LONG:
        return message, ""
    parts = [part for part in message.splitlines() if part.strip()]
    if len(parts) < 2:
        return message, message if match and len(message) >= LONG else ""  # a short one is the question itself
    last = len(parts[-1]) < len(parts[0]) or match
    request, text = (parts[-1], parts[:-1]) if last else (parts[0], parts[1:])
    return request.strip(), "\n\n".join(text)
