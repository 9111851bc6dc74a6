"""What programs copy from texts becomes passages of these."""

from pathlib import Path

from langgraph.store.memory import InMemoryStore

from schemas.coder import MOST_COPIES
from schemas.context import RunContext
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.search.copied_words import LONGEST_BELOW, LONGEST_QUOTE, Copy, copies_of, located_once
from services.search.providers import allow_folders


def test_copies_are_told_from_what_a_program_states() -> None:
    printed = ["Two.", "QUOTE a/b.md: the keeper", "  QUOTE a/b.md: the keeper", "QUOTE nothing", "QUOTE a.md: x"]
    assert copies_of("\n".join(printed)) == ("Two.\nQUOTE nothing", [Copy("a/b.md", "the keeper"), Copy("a.md", "x")])
    assert len(copies_of("\n".join(f"QUOTE {n}.md: words" for n in range(99)))[1]) == MOST_COPIES


async def test_words_are_quoted_with_their_sentences_if_these_are_not_too_long(tmp_path: Path) -> None:
    folder = tmp_path / "post"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nIt rained. The keeper\nsaw **the mail** of June. He slept.\n\nEnd.\n")
    (folder / "c.md").write_text(
        "# C\n\n1、\n\nFirst. The mail is late.\n\nIt rains.\n\n-- a keeper\n\n2、\n\nThe mail was found.\n\n"
        "3、\n\nMore.\n\n-- another\n\nThe mail brought:\n\n- 3 lamps\n- oil\n\n**All** was used.\n"
    )
    long_list = f"The hold has:\n\n- rope\n- {'an old net, ' * LONGEST_BELOW}\n"
    (folder / "d.md").write_text(
        f"# D\n\n{long_list}\n```python\nclass Post:\n    def send(self):\n        self.ring()\n```\n"
    )
    (folder / "b.md").write_text(f"# B\n\nThe keeper saw the mail of July {'and more ' * LONGEST_QUOTE}.\n")
    (folder / "e: 2.md").write_text("# E\n\nRain: the keeper slept.\n")
    (folder / "f.md").write_text(
        "# F\n\nTwo rules hold:\nYes, since it builds upon\nVK_LOCAL_READ,\nit is the same.\n\n- No\n- Yes\n"
    )
    (folder / "g.md").write_text("# G\n\nKeeper Hale\nStation North\n\nThe rules are\n- to wait\n- to look.\n")
    (folder / "h.md").write_text(
        f"# H\n\nRing it so:\n\n```sh\nring --twice\n```\n\nA long one:\n\n```sh\n{'ring; ' * LONGEST_QUOTE}\n```\n\nEnd.\n"
    )
    copies = [
        Copy("b.md", "the mail of July"),
        Copy("a.md", "keeper saw the mail of June. He"),
        Copy("a.md", "the mail of July"),
        Copy("../a.md", "the mail of June"),
        Copy("c.md", "The mail is late"),
        Copy("c.md", "mail was found"),
        Copy("c.md", "The mail brought"),
        Copy("d.md", "The hold has"),
        Copy("d.md", "self.ring()"),
        Copy("post/e", "2.md: Rain: the keeper"),
        Copy("f.md", "Yes, since it builds"),
        Copy("g.md", "Keeper Hale"),
        Copy("g.md", "The rules are"),
        Copy("h.md", "Ring it so"),
        Copy("h.md", "A long one"),
        Copy("a.md", "It rained … the mail** of June"),
        Copy("a.md", "End … of a letter that is not there"),
    ]
    allow_folders([str(folder)])
    evidence = EvidenceStore(InMemoryStore())
    located = await located_once(Run(RunContext(documents=[str(folder)]), "coder"), copies, evidence)
    assert [(passage.title, passage.text) for passage in located.passages] == [
        ("B", "the mail of July"),
        ("A", "The keeper\nsaw **the mail** of June. He slept."),
        ("C", "The mail is late.\n\nIt rains.\n\n-- a keeper"),
        ("C", "The mail was found."),
        ("C", "The mail brought:\n\n- 3 lamps\n- oil"),
        ("D", "The hold has:\n\n- rope"),
        ("D", "class Post:\n    def send(self):\n        self.ring()"),
        ("E", "Rain: the keeper slept."),
        ("F", "Yes, since it builds upon\nVK_LOCAL_READ,\nit is the same."),
        ("G", "Keeper Hale"),
        ("G", "The rules are"),
        ("H", "Ring it so:\n\n```sh\nring --twice\n```"),
        ("H", "A long one:"),
        ("A", "It rained. The keeper\nsaw **the mail** of June."),
        ("A", "End."),
    ]
    assert located.failures == ["a.md: the mail of July", "../a.md: the mail of June"]
    for passage in located.passages:
        text = await evidence.get_text(passage.content_hash)
        assert text[passage.start : passage.end] == passage.text
        assert located.sources[passage.content_hash].kind == "document"
