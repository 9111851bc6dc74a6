"""Follow-up questions by rules: what their pronouns and omissions stand for, and whether earlier evidence answers them."""

import re
from collections import Counter
from collections.abc import Sequence

from services.models.offline.answers import answer_type, fit
from services.models.offline.computing import asks_for_computation
from services.models.offline.language import GENERIC as GENERIC_WORDS
from services.models.offline.language import clauses_of, compared_in, describes, names_in, persons_in
from services.models.offline.sections import Evidence, Prompt, evidence_of
from services.models.offline.terms import terms
from services.search.tokens import has_cjk, tokens

GENERIC = frozenset(term for word in GENERIC_WORDS for term in terms(word))
HELD, HELD_CHINESE = 0.7, 0.6
"""Share of a clause's terms that one excerpt must hold to answer it."""
LEAST_TITLE = 4
"""Characters of a source's title that a question can be recognised by."""
FITS = 0.6
"""How well the excerpt must fit the kind of answer that is asked for."""
_PERSONAL = re.compile(r"\b(?:he|him|she|his|her)\b|[他她]", re.IGNORECASE)
_PLURAL = re.compile(r"\b(?:they|them|their)\b|[它他她]们", re.IGNORECASE)
_THING = re.compile(
    r"\b(?:it|its)\b|\b(?:this|that|these|those)\b(?=\s*(?:[?.,]|$|(?:is|was|were|are|does|did|happen\w*|work\w*|mean\w*)\b))|"
    r"它|[这那]个(?![\u4e00-\u9fff])|(?<![\u4e00-\u9fff])其",
    re.IGNORECASE,
)
_ANY = re.compile(f"{_PLURAL.pattern}|{_PERSONAL.pattern}|{_THING.pattern}", re.IGNORECASE)
_ADDED = re.compile(r"^(?:what about|how about)\b|^(?:那么?).{1,10}呢[？?]?$|^.{1,10}呢[？?]?$", re.IGNORECASE)
_LED_IN = re.compile(r"^(?:(?:and|but|so|also|then)\b|那么?|还有|另外)[\s,，]*", re.IGNORECASE)
_FILLED = re.compile(r"\s\([^()]*\)(?=[?？]?$)")
"""What a question of few words was completed with."""
_POSSESSIVE = re.compile(r"^(?:his|her|its|their)$", re.IGNORECASE)
_DOER = re.compile(r"(?:\bby|由|者|人)$")
_VESSEL = re.compile(
    r"\b(?:yacht|ship|schooner|steamer|vessel|sloop|bathyscaphe|submersible|aboard|HMS|USS|the|in|at|off|near)$"
)
_NOUN = re.compile(
    r"\b(?:the|an?) ((?:[a-z][\w-]*\s+){0,3}?[a-z][\w-]*)(?=\s+(?:of|in|on|at|for|from|by|to|and|is|was|were|are|has|had|made|used|that|which)\b|[?.,]|$)"
)
_CHINESE_TOPIC = re.compile(r"的|使|让|被|是|有|在|对|会|能|可|应|需|要|每|多|怎|如何|为什么|何时|什么|哪|吗|[，？?]")
_SIDES = re.compile(r"\b(?:compare|difference|versus|vs|both)\b|区别|差别|差异|比较|对比|两者", re.IGNORECASE)
"""Words of a question that sets things against each other."""


def standing_alone(asked: str, prompt: Prompt) -> tuple[str, str]:
    """Return a question with its pronouns and omissions filled in from the conversation, and what was filled in.

    The second is empty where nothing had to be.
    """
    turns = prompt.all("turn")
    earlier = " ".join(next((one.body for one in reversed(turns) if one["role"] == "user"), "").split())
    unclear = " ".join(prompt.one("asked_back").body.split())
    if unclear and len(set(tokens(unclear)) - set(tokens(asked))) and _bare(unclear):
        return _joined(asked, unclear), f"{unclear} + {asked}"
    if not earlier:
        return asked, ""
    pronoun = _ANY.search(asked)
    if pronoun is None:
        added, topic = _ADDED.search(asked), topic_of(earlier)
        leans = added or (len(tokens(asked)) <= 2 and not names_in(asked))
        if not leans or set(tokens(topic)) <= set(tokens(asked)):
            return asked, ""
        if added:
            return _instead(asked, topic, earlier)
        return _joined(asked, topic), topic
    if _named_before(asked, pronoun.start()):
        return asked, ""
    answer = next((one.body for one in reversed(turns) if one["role"] == "assistant"), "")
    topic = _meant(pronoun.group(), earlier, answer)
    if not topic or topic in asked:
        return asked, ""
    if topic == earlier.strip("?？ 。."):
        return _joined(asked, topic), topic
    whole = _ANY.sub(lambda found: _in_place(found.group(), topic), asked, count=1)
    bare = _LED_IN.sub("", whole)
    return f"{bare[:1].upper()}{bare[1:]}", f"{pronoun.group()} = {topic}"


def _bare(unclear: str) -> bool:
    """Tell whether an unclear question has words worth keeping."""
    return any(len(one) > 2 or has_cjk(one) for one in tokens(unclear))


def _joined(asked: str, topic: str) -> str:
    mark = "？" if has_cjk(asked) else "?"
    bare = _LED_IN.sub("", asked.strip("?？ 。"))
    return f"{bare[:1].upper()}{bare[1:]} ({topic}){mark}"


def _instead(asked: str, topic: str, earlier: str) -> tuple[str, str]:
    """Ask of one more thing what the last question asked of another: `What about the lead line?`."""
    other = re.sub(r"^(?:what|how) about\s+", "", _LED_IN.sub("", asked.strip("?？ 。")), flags=re.IGNORECASE).rstrip(
        "呢"
    )
    place = earlier.lower().find(topic.lower())
    if place < 0 or topic == earlier.strip("?？ 。."):
        return _joined(other, earlier.strip("?？ 。.")), earlier
    head = " ".join(other.lower().split()[:2])
    start = earlier.lower().rfind(head, 0, place) if " " in head else -1
    replaced = earlier[start if start >= 0 else place : place + len(topic)]
    return earlier.replace(replaced, other, 1), f"{replaced} → {other}"


def _named_before(asked: str, place: int) -> bool:
    """Tell whether the question itself names what its pronoun stands for."""
    before = asked[:place]
    return bool(names_in(before)) or (has_cjk(before) and len(re.sub(r"\W", "", before)) > 5)


def _in_place(pronoun: str, topic: str) -> str:
    """Return a topic as it stands in for a pronoun."""
    if not _POSSESSIVE.match(pronoun) or has_cjk(topic):
        return topic
    return f"{topic}’" if topic.endswith("s") else f"{topic}’s"


def _meant(pronoun: str, earlier: str, answer: str) -> str:
    """Return what a pronoun stands for: a person of the last answer, or what the last question was about."""
    if _PERSONAL.fullmatch(pronoun):
        first = persons_in(earlier) or _persons_told(answer, set(tokens(earlier)))
        if first:
            return first[0]
    last = clauses_of(earlier, short=True)[-1].strip("?？ 。.")
    topic = topic_of(last)
    named = topic != last and bool(names_in(last))
    return topic if named else topic_of(earlier)  # what was asked last is nearest, where it names something


def _persons_told(answer: str, known: set[str]) -> list[str]:
    """Return names of an answer that could be a person's, likeliest first: who did something comes before ships and places."""
    scores: Counter[str] = Counter()
    for name in persons_in(answer):
        bare = re.sub(r"[’']s?$", "", name)
        if set(tokens(bare)) <= known:
            continue
        before = [answer[: one.start()].rstrip() for one in re.finditer(re.escape(bare), answer)]
        doers, things = (sum(bool(pattern.search(one)) for one in before) for pattern in (_DOER, _VESSEL))
        scores[bare] += len(before) + 3 * doers - 3 * things
    return [name for name, _ in scores.most_common()]


def topic_of(question: str) -> str:
    """Return what a question is about: its longest name, else its first noun with an article, else all of it."""
    named = names_in(question)
    if named:
        return max(named, key=len)
    whole = question.strip("?？ 。.")
    if has_cjk(question):
        part = next((one for one in _CHINESE_TOPIC.split(whole) if len(one) > 1), whole)
        return re.sub(r"^(?:请问|什么|哪些|谁)", "", part) or whole
    found = _NOUN.search(question[:1].lower() + question[1:])
    return f"the {found.group(1)}" if found else whole


def judged(question: str, prompt: Prompt) -> tuple[str, list[str], list[str]]:
    """Tell how much of a question what earlier turns know answers; one about a source that they read, from that source.

    Strict: one excerpt has to hold most of a clause's terms and the kind of answer that it asks for.

    Returns:
        `no`, `part` or `whole`; the ids of the excerpts; the clauses that they leave open.
    """
    known = evidence_of(Prompt(prompt.one("known").body))
    if not known:
        return "no", [], []
    told = [one.id for one in known if len(one.source) >= LEAST_TITLE and one.source in question]
    if told:
        return "whole", told, []
    compared = compared_in(question)
    clauses = list(compared) if compared else clauses_of(question, short=True)
    unsaid = not set(terms(_FILLED.sub("", question))) - GENERIC
    if unsaid or (compared is None and _SIDES.search(question)):
        return "no", [], []
    answers = [_answering(clause, known, question) for clause in clauses]
    uses = list(dict.fromkeys(one for found in answers for one in found))
    if not uses:
        return "no", [], []
    if compared or asks_for_computation(question) or describes(question):
        return "part", uses, [clause for clause, found in zip(clauses, answers, strict=True) if not found]
    missing = [clause for clause, found in zip(clauses, answers, strict=True) if not found]
    return ("part" if missing else "whole"), uses, missing


def _answering(clause: str, known: Sequence[Evidence], question: str) -> list[str]:
    wanted = [one for one in dict.fromkeys(terms(clause)) if one not in GENERIC]
    if not wanted:
        return []
    kind = answer_type(clause if clause in question else question)
    named = {one for name in names_in(clause) for one in terms(name)}
    rest = set(wanted) - set(terms(topic_of(clause)))
    found = []
    for one in known:
        held = set(terms(f"{one.quote} {one.source}"))
        share = len(held & set(wanted)) / len(wanted)
        enough = share >= (HELD_CHINESE if has_cjk(clause) else HELD) and 2 * len(rest & held) >= len(rest)
        if enough and named <= held and fit(clause, kind, one.quote) >= FITS - 0.2 * (kind in {"thing", "yes_no"}):
            found.append((share, one.id))
    best = max((share for share, _ in found), default=0.0)
    return [name for share, name in found if share >= best - 0.15][:3]
