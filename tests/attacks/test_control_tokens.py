"""Documents whose titles and texts hold control tokens of models: none is in a prompt, and each stands as it is in store and report."""

from pathlib import Path

from tests.attacks.conftest import Command
from tests.fakes.openai_server import OpenAIServer

TOKENS = [
    "<turn|>", "【INST】", "<|im_start|>", "[|user|]", "【|system|】", "<end_of_utterance>", "[/INST]", "<\u2060｜User｜>", "[MODEL_SETTINGS]", "{SYS}",
]  # fmt: skip
SAID = f"William Thomson {TOKENS[0]} designed the wire sounding machine {TOKENS[1]} in 1872"


def test_tokens_of_a_document_are_in_no_prompt_and_quoted_as_they_are(
    endpoint: OpenAIServer, command: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "machine.md").write_text(
        f"# The wire machine {' '.join(TOKENS)}\n\n{SAID}.\n\nWire machines {' '.join(TOKENS)} have Vec<T> and a < b | c > d.\n"
    )
    done = command("research", "Who designed the wire sounding machine?", "--docs", folder)
    assert done.code == 0, done.err
    prompts = [str(message["content"]) for body in endpoint.requests for message in body["messages"]]
    assert any("William Thomson ‹turn|> designed" in prompt for prompt in prompts)
    assert any("Vec<T> and a < b | c > d" in prompt for prompt in prompts)
    assert [token for token in TOKENS for prompt in prompts if token in prompt] == []
    assert any(SAID in excerpt["quote"] for excerpt in done.evidence["excerpts"])
    [source] = done.evidence["sources"]
    assert all(token in source["title"] for token in TOKENS if token.isascii())
    assert command("verify", done.folder).code == 0
