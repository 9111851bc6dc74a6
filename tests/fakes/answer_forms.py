"""Forms in which models give an answer: thoughts in other marks, marks of the end, blocks and fences around it."""

from collections.abc import Callable

THOUGHT = "Weigh it. Then answer."
FORMS: dict[str, Callable[[str], str]] = {
    "thinking": lambda text: f"<thinking>\n{THOUGHT}\n</thinking>\n\n{text}",
    "reasoning": lambda text: f"<reasoning>{THOUGHT}</reasoning>{text}",
    "brackets": lambda text: f"[THINK]{THOUGHT}[/THINK]{text}",
    "triangles": lambda text: f"◁think▷{THOUGHT}◁/think▷{text}",
    "a prefix": lambda text: f"<seed:think>{THOUGHT}</seed:think>{text}",
    "channels": lambda text: (
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{text}<|return|>"
    ),
    "channels without tokens": lambda text: f"analysis{THOUGHT}assistantfinal{text}",
    "tokens": lambda text: f"<|START_THINKING|>{THOUGHT}<|END_THINKING|><|START_RESPONSE|>{text}<|END_RESPONSE|>",
    "half tokens": lambda text: f"<|channel>thought\n{THOUGHT}<channel|>{text}<turn|>",
    "thought and answer": lambda text: f"<think>{THOUGHT}</think>\n<answer>{text}</answer>",
    "an unknown block": lambda text: f"<inner_voice>\n{THOUGHT}\n</inner_voice>\n\n{text}",
    "a page's block": lambda text: f'<details type="reasoning" done="true">\n{THOUGHT}\n</details>\n{text}',
    "an answer's block": lambda text: f"<answer>\n{text}\n</answer>",
    "the end of a message": lambda text: f"{text}<|im_end|>",
    "another message": lambda text: f"{text}<|im_end|>\n<|im_start|>user\n{THOUGHT}",
    "the end of a text": lambda text: f"{text}</s>",
    "the end of a turn": lambda text: f"{text}<end_of_turn>",
    "fullwidth": lambda text: f"{text}<｜end▁of▁sentence｜>",
    "a fence": lambda text: f"```markdown\n{text}\n```",
}
"""What a model makes of the text that it wants to say."""
