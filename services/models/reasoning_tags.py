"""Splits a model's text into answer and thoughts: by one table of marks, and thoughts in unknown marks by their place, before the answer."""

import re

REASONING = "reasoning_content"
"""Key of the reasoning in a message, as DeepSeek, vLLM and llama.cpp name it."""
_THOUGHTS = "think|thought|reason|analysis|commentary"
_TAG = re.compile(
    r"(?<!`)(?:<(/?)(?:\w{1,20}:)?(?:think(?:ing)?|thoughts?|reasoning)>|\[(/?)THINK\]|◁(/?)think▷)", re.IGNORECASE
)
"""Marks of thoughts anywhere in a text."""
_TOKEN = re.compile(r"(?<!`)(?:<[|｜][^<>|｜\n`]{1,40}[|｜]?>|<[^<>|｜\n`]{1,40}[|｜]>)")
"""A token of a chat template: the thoughts' begin and end, a channel, the end of the answer."""
_LAST_TOKEN = re.compile(rf"(?:{_TOKEN.pattern})(?=[ \t]{{0,9}}(?:\n|\Z|<[|｜]))")
"""The same where an answer ends: with its line, not amid a sentence."""
_UNMARKED = ("analysis", "assistantfinal")
"""What gpt-oss's channels leave where a server takes away only their tokens."""
_OPENING = re.compile(r"\s*<([A-Za-z][\w:.-]{0,40})((?:\s[^<>]{0,200})?)>")
_END = re.compile(r"<(/?)([\w▁]{1,40})>")
_LONGEST_OPENING = 250


def split_thinking(text: str) -> tuple[str, str]:
    """Split a text into answer and reasoning, also if an opening or closing mark is missing."""
    thoughts: list[str] = []
    answer = _without_tags(_without_tokens(text, thoughts), thoughts)
    answer = _without_ends(_without_block(answer, thoughts))
    return answer.strip(), "\n".join(thought.strip() for thought in thoughts if thought.strip())


def may_open(text: str) -> bool:
    """Tell whether the beginning of a text may become a mark of thoughts."""
    begun = text.lstrip()[:_LONGEST_OPENING]
    marks = ("[THINK]", "◁think▷", _UNMARKED[0])
    return any(mark.startswith(begun) for mark in marks) or (
        begun.startswith("<") and ">" not in begun and len(begun) < _LONGEST_OPENING
    )


def closing_of(text: str) -> str | None:
    """Return the mark that ends the thoughts with which a text begins.

    Returns:
        Empty where only the end of the text shows what is its answer; None for a text that begins with its answer.
    """
    begun = text.lstrip()[: _LONGEST_OPENING + 1]
    tag = _TAG.match(begun)
    if tag is not None and not any(tag.groups()):
        return f"{tag[0][0]}/{tag[0][1:]}"
    unknown = _TOKEN.match(begun) or _is_unknown(_OPENING.match(begun)) or _is_unmarked(begun)
    return "" if unknown else None


def _is_unmarked(text: str) -> bool:
    first = _UNMARKED[0]
    return text.startswith(first) and text[len(first) : len(first) + 1].isupper()


def _is_unknown(opening: re.Match[str] | None) -> bool:
    """Tell whether a tag is not one of HTML's, or is named after reasoning."""
    if opening is None:
        return False
    from nh3 import ALLOWED_TAGS

    return opening[1].lower() not in ALLOWED_TAGS or 'type="reasoning"' in opening[2]


def _without_tokens(text: str, thoughts: list[str]) -> str:
    """Return the answer before a template's tokens; where a text begins with one, the last part between them."""
    if _is_unmarked(text.lstrip()):
        before, _, text = text.partition(_UNMARKED[1])
        thoughts.append(before.lstrip().removeprefix(_UNMARKED[0]))
    if not _TOKEN.match(text.lstrip()):
        answer, *others = _LAST_TOKEN.split(text)
        thoughts += others
        return answer
    tokens, parts = _TOKEN.findall(text), _TOKEN.split(text)
    place = max((place for place, part in enumerate(parts) if part.strip()), default=0)
    opening = tokens[place - 1].lower()
    channel = f"{opening} {parts[place - 1] if len(parts[place - 1]) < _LONGEST_OPENING else ''}"
    cut_off = "end" not in opening and opening[1] in "|｜" and re.search(_THOUGHTS, channel, re.IGNORECASE)
    thoughts += [part for number, part in enumerate(parts) if number != place or cut_off]
    return "" if cut_off else parts[place]


def _without_tags(text: str, thoughts: list[str]) -> str:
    answer: list[str] = []
    end, start = 0, -1
    for tag in _TAG.finditer(text):
        closes = any(tag.groups())
        if closes and start < 0:  # the opening tag stood in the prompt
            thoughts += [*answer, text[end : tag.start()]]
            answer, end = [], tag.end()
        elif closes:
            thoughts.append(text[start : tag.start()])
            end, start = tag.end(), -1
        elif start < 0:
            answer.append(text[end : tag.start()])
            start = tag.end()
    if start >= 0:
        thoughts.append(text[start:])
    else:
        answer.append(text[end:])
    return "".join(answer)


def _without_block(text: str, thoughts: list[str]) -> str:
    """Return a text without an unknown block before it; of a text that is nothing but a block, its content."""
    opening = _OPENING.match(text)
    if opening is None or not _is_unknown(opening):
        return text
    inside, closing, answer = text[opening.end() :].partition(f"</{opening[1]}>")
    if not closing:
        return text
    if not answer.strip():
        return inside
    thoughts.append(inside)
    return _without_block(answer, thoughts)


def _without_ends(answer: str) -> str:
    """Remove marks of the end: tags at the end that have no partner."""
    answer = answer.rstrip()
    while answer.endswith(">"):
        start = answer.rfind("<")
        end = _END.fullmatch(answer, max(0, start))
        if end is None or f"<{'' if end[1] else '/'}{end[2]}>" in answer[:start]:
            break
        answer = answer[:start].rstrip()
    return answer
