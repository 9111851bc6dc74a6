"""Fixed words of a report, in English and Chinese."""

from dataclasses import dataclass

from services.messages import is_chinese


@dataclass(frozen=True, slots=True)
class Labels:
    """Everything in a report that neither a source nor a model has said."""

    unverified: str
    contradictions: str
    limits: str
    follow_up: str
    references: str
    nothing_found: str
    failed_step: str
    skipped_step: str
    missing: str
    unsupported: str
    dropped: str
    snippet: str
    copy: str
    published: str
    sandbox_unsafe: str = ""


ENGLISH = Labels(
    unverified="⚠ unverified",
    contradictions="Where sources disagree",
    limits="Limits of this report",
    follow_up="Questions to ask next",
    references="References",
    nothing_found="No evidence was found for this question, so this report makes no claims.",
    failed_step="Step “{title}” failed: {error}",
    skipped_step="Step “{title}” was skipped: {error}",
    missing="The sources do not tell: {aspect}",
    unsupported="{count} sentences are marked as unverified: their citations do not support them.",
    dropped="{count} sentences were left out: their citations do not support them.",
    snippet="only a search engine's snippet was read",
    copy="also as {titles}",
    published="published {date}",
)
CHINESE = Labels(
    unverified="⚠ 未核实",
    contradictions="来源之间的分歧",
    limits="本报告的局限",
    follow_up="可以继续追问",
    references="参考来源",
    nothing_found="没有找到与该问题有关的证据，因此本报告不作任何论断。",
    failed_step="步骤“{title}”失败：{error}",
    skipped_step="步骤“{title}”被跳过：{error}",
    missing="来源没有说明：{aspect}",
    unsupported="{count} 个句子标为未核实：其引用不足以支持。",
    dropped="{count} 个句子已删去：其引用不足以支持。",
    snippet="只读到搜索引擎的摘要",
    copy="另见转载：{titles}",
    published="发布于 {date}",
)


def labels(locale: str) -> Labels:
    """Return the labels of a locale: Chinese for Chinese ones, else English."""
    return CHINESE if is_chinese(locale) else ENGLISH
