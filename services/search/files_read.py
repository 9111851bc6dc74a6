"""What a run's folders hold, and how their files were read, as messages for its user."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath, PurePosixPath

from schemas.files_read import FileNote, FilesRead
from services.run.ui_text import say, unsearched
from services.search.documents import Documents
from services.search.files.file_types import CONVERTED, EMPTY

MAX_FILES_NAMED = 3
"""Maximum files or kinds that a message names."""
MAX_UNREADABLE_NAMED = 10
"""Maximum files that could not be read for one reason which a message names: somebody has to look after them."""


def files_read(folders: Sequence[Documents]) -> FilesRead:
    """Return how the files of these folders were read."""
    unread = [path for folder in folders for path in folder.unread]
    kinds, noted, reasons = Counter[str](), dict[str, list[str]](), dict[str, list[str]]()
    for folder in folders:
        kinds.update(folder.other_kinds)
        for path, reason in folder.unreadable:
            if not _is_no_loss(path, reason):
                reasons.setdefault(reason, []).append(path)
        for note, paths in folder.notes.items():
            key, _, value = note.partition(":")
            noted.setdefault(key, []).extend(f"{path} ({value})" if value else path for path in paths)
    return FilesRead(
        unsearched=[
            FileNote(note=reason, count=len(paths), files=paths[:MAX_UNREADABLE_NAMED])
            for reason, paths in reasons.items()
        ],
        unread=unread[:MAX_FILES_NAMED],
        unread_count=len(unread),
        other_kinds=dict(sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))),
        notes=[
            FileNote(note=note, count=len(paths), files=paths[:MAX_FILES_NAMED])
            for note, paths in sorted(noted.items())
        ],
        files=sum(folder.count + len(folder.unreadable) + len(folder.unread) for folder in folders),
    )


def file_messages(read: FilesRead, locale: str) -> list[str]:
    """Return the messages about files that were not searched, or not read as they are."""
    messages = [
        say(
            "file_unreadable" if note.count == 1 else "files_unreadable",
            locale,
            files=_listed(note.files, note.count, locale),
            reason=unsearched(note.note, locale),
        )
        for note in read.unsearched
    ]
    if read.unread_count:
        late = _listed(read.unread, read.unread_count, locale)
        messages.append(say("files_not_read", locale, count=read.unread_count, total=read.files, files=late))
    if read.other_kinds:
        messages.append(_kinds(read.other_kinds, locale))
    return [*messages, *(_noted(note, locale) for note in read.notes)]


def _noted(note: FileNote, locale: str) -> str:
    return say(f"file_{note.note}", locale, files=_listed(note.files, note.count, locale))


def _kinds(other_kinds: Mapping[str, int], locale: str) -> str:
    kinds = [*other_kinds.items()]
    named = [f"{kind or say('no_ending', locale)} ({count})" for kind, count in kinds[:MAX_FILES_NAMED]]
    further = ["…"] if len(kinds) > MAX_FILES_NAMED else []
    listed = say("searched_between", locale).join([*named, *further])
    return say("other_kinds", locale, count=sum(other_kinds.values()), kinds=listed)


def _is_no_loss(file: str, reason: str) -> bool:
    """Tell whether a file is one of text without any; an empty PDF or office file is no sound one."""
    return reason == EMPTY and PurePath(file).suffix.lower() not in CONVERTED


def _listed(paths: Sequence[str], count: int, locale: str) -> str:
    files = say("searched_between", locale).join(paths)
    return files if count <= len(paths) else say("files_further", locale, files=files, count=count - len(paths))


MAX_TITLES = 60
"""Texts of a folder up to which all their titles are listed."""
MAX_PARTS = 20
"""Parts of a larger folder that are listed."""
SHOWN, LONGEST_TITLE = 3, 80
"""Titles shown of a part, the first, the middle and the last by path; and characters of each."""


def overview(files: Sequence[tuple[str, str]]) -> list[str]:
    """Describe folders by their texts, each a path that begins with the folder's name, and a title, sorted by path.

    Returns:
        A title a line; of more than `MAX_TITLES` texts a line for each part, with its number of texts and some titles: the largest
        folder is parted into those that it holds, as long as the parts are few enough.
    """
    if len(files) <= MAX_TITLES:
        return [title[:LONGEST_TITLE] for _, title in files]
    parts: dict[tuple[str, ...], Sequence[tuple[str, str]]] = {(): files}
    whole: set[tuple[str, ...]] = set()
    while sizes := [(len(held), part) for part, held in parts.items() if part not in whole]:
        _, part = max(sizes)
        inner: dict[tuple[str, ...], list[tuple[str, str]]] = {}
        for path, title in parts[part]:
            inner.setdefault(PurePosixPath(path).parent.parts[: len(part) + 1], []).append((path, title))
        if len(parts) - 1 + len(inner) <= MAX_PARTS:
            del parts[part]
            parts.update(inner)
        whole.add(part)
    named = ((name, [title for _, title in held]) for name, held in sorted(parts.items()))
    return [f"{'/'.join(name)}: {len(titles)}, such as {_some(titles)}" for name, titles in named]


def _some(titles: Sequence[str]) -> str:
    places = sorted({0, len(titles) // 2, len(titles) - 1})[:SHOWN]
    return "; ".join(titles[place][:LONGEST_TITLE] for place in places)
