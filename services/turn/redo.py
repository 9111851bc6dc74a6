"""Decides whether a verdict justifies redoing a step: models send sound steps back without reasons, which costs a round.

A step with no findings, missing aspects or low confidence is redone if there is any feedback. A sound step is redone if
the feedback is specific: it has a word that is in neither the question nor the step, and no other step has the same
feedback.
"""

import re
from collections.abc import Mapping, Sequence

from schemas.planner import Step
from schemas.reflector import StepVerdict
from schemas.results import StepResult
from services.run.log import log
from services.text.tokens import tokens

SURE = 0.5
"""Minimum confidence of a sound result, as stated by researchers and programs."""
_STOCK = frozenset(
    tokens(
        "again redo retry repeat attempt try search look find research check verify review improve refine provide include add "
        "gather collect use more further additional other another different better clear complete detail detailed specific "
        "particular precise information data evidence source result answer finding quote excerpt step question query term topic "
        "relevant accurate reliable missing lack need needs needed insufficient sufficient enough please should must could not "
        "focus ensure expand broaden deepen explore consider thorough comprehensive support confirm context content aspect"
    )
)
_STOCK_CHINESE = (
    "重新 重做 再次 查找 搜索 检索 更多 更好 详细 具体 信息 数据 证据 来源 结果 问题 步骤 需要 补充 完整 准确 相关 进一步 其他 内容 方面 不够 "
    "不足 提供"
).split()
"""Generic words of feedback that fit any step."""


def sound(result: StepResult) -> bool:
    """Tell whether a result answers its step, as far as code can judge."""
    found = result.status == "done" and bool(result.excerpts) and not result.error
    return found and not result.missing_aspects and result.confidence >= SURE


def settle_verdicts(
    verdicts: Sequence[StepVerdict], results: Mapping[str, StepResult], steps: Mapping[str, Step], question: str
) -> list[StepVerdict]:
    """Withdraw unjustified orders to redo a step, and drop verdicts on steps without a result.

    Args:
        verdicts: the model's verdicts; a step may also be named `Step 2`.
        results: results by step id.
        steps: steps by step id.
        question: the researched question.
    """
    named = [(step_id, verdict) for verdict in verdicts if (step_id := _step_id(verdict.step_id, results)) is not None]
    said = [_words(verdict.feedback) for _, verdict in named if verdict.redo]
    settled: dict[str, StepVerdict] = {}
    for step_id, verdict in named:
        words = _words(verdict.feedback)
        step = steps.get(step_id)
        known = _words(" ".join([question, step.title, step.description, *step.queries] if step else [question]))
        own = _words(re.sub("|".join(_STOCK_CHINESE), " ", verdict.feedback)) - known - _STOCK
        names_something = bool(own) and said.count(words) < 2
        redo = verdict.redo and bool(words) and (names_something or not sound(results[step_id]))
        if verdict.redo and not redo:
            log("redo_dropped", step=step_id)
        settled[step_id] = verdict.model_copy(update={"step_id": step_id, "redo": redo})
    return list(settled.values())


def _step_id(name: str, results: Mapping[str, StepResult]) -> str | None:
    """Return the id of a step from a model's name for it."""
    if name in results:
        return name
    figures = "".join(char if char.isdigit() else " " for char in name).split()
    return figures[0] if len(figures) == 1 and figures[0] in results else None


def _words(text: str) -> frozenset[str]:
    return frozenset(tokens(text))
