"""Converts authors' names to CSL: separate family and given names, whole names of organisations."""

Name = dict[str, str]
"""A CSL name: `family`, `given` and an optional `suffix`, or `literal`."""

MAX_INITIALS = 3
"""Maximum capitals after a family name that count as initials, as in `Smith JA`."""
_SUFFIXES = frozenset(["jr", "sr", "ii", "iii", "iv"])
_ORGANISATION = frozenset(
    "agency and association authority bank board bureau center centre club collaboration commission committee company "
    "consortium corporation council department division federation for foundation gmbh group inc initiative institute "
    "institution laboratory library limited llc ltd ministry museum network of office organisation organization press "
    "program programme project school service services society survey task team the trust union university "
    "working &".split()
)
"""Words that identify an organisation's name; no person's name contains them."""


def csl_name(name: str) -> Name:
    """Split a catalogue's name into its parts if they are clear, else return it whole.

    Read are `Ada B. Sounder`, `Sounder, Ada B.` and `Sounder AB`. Names in scripts without capitals, such as Chinese, stay whole: where
    the family name ends is not written.
    """
    words = name.split()
    has_no_case = any(char.isalpha() and char.lower() == char.upper() for char in name)
    if len(words) < 2 or has_no_case or not _ORGANISATION.isdisjoint(word.lower().strip(".,") for word in words):
        return {"literal": " ".join(words)}
    if "," in name:
        family, given, *suffix = [part.strip() for part in name.split(",")]
        if len(suffix) > 1 or not family or not given:
            return {"literal": " ".join(words)}
        return _person(family, given, suffix[0] if suffix else "")
    suffix_word = words.pop() if len(words) > 2 and words[-1].lower().strip(".") in _SUFFIXES else ""
    if initials := _initials(words):
        return _person(" ".join(words[:-1]), initials, suffix_word)
    begin = len(words) - 1
    while begin > 1 and words[begin - 1].islower():
        begin -= 1  # particles such as `van der` are part of the family name
    return _person(" ".join(words[begin:]), " ".join(words[:begin]), suffix_word)


def _initials(words: list[str]) -> str:
    """Return the initials in `Smith JA` with full stops; empty if the last word is a name."""
    letters = words[-1].replace(".", "").replace("-", "")
    others = "".join(words[:-1])
    if not (letters.isalpha() and letters.isupper() and len(letters) <= MAX_INITIALS) or others.isupper():
        return ""
    return " ".join(f"{letter}." for letter in letters)


def _person(family: str, given: str, suffix: str) -> Name:
    return {"family": family, "given": given, **({"suffix": suffix} if suffix else {})}
