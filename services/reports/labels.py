"""Fixed words of a report, in English and Chinese."""

from dataclasses import dataclass

from services.evidence.support import Verdict
from services.run.ui_text import is_chinese


@dataclass(frozen=True, slots=True)
class Labels:
    """Everything in a report that neither a source nor a model has said."""

    unverified: str
    conclusion: str
    contradictions: str
    unconfirmed: str
    """Of a contradiction that only the model sees."""
    limits: str
    follow_up: str
    references: str
    files: str
    nothing_found: str
    nothing_held: str
    failed_step: str
    skipped_step: str
    missing: str
    unsupported: str
    dropped: str
    snippet: str
    copy: str
    published: str
    uncited: str
    kinds: dict[str, str]
    """What a source is, for each kind that is not a web page."""
    reason_uncited: str
    reason_unknown: str
    reason_numbers: str
    reason_untraced: str
    reason_names: str
    reason_words: str
    reason_language: str
    reason_meaning: str
    reason_negation: str
    reason_opposite: str
    reason_quote: str
    brackets: tuple[str, str] = ("(", ")")

    @property
    def mark(self) -> str:
        """What stands behind a sentence that is not verified."""
        return self.unverified.join(self.brackets)

    def reason(self, verdict: "Verdict") -> str:
        """Say in words why a sentence is not supported; empty when it is."""
        return {
            "": "",
            "uncited": self.reason_uncited,
            "numbers": self.reason_numbers,
            "untraced": self.reason_untraced,
            "names": self.reason_names,
            "words": self.reason_words,
            "language": self.reason_language,
            "meaning": self.reason_meaning,
            "negation": self.reason_negation,
            "opposite": self.reason_opposite,
        }[verdict.failing].format(what=", ".join(verdict.what))


ENGLISH = Labels(
    unverified="⚠ unverified",
    conclusion="Conclusion",
    contradictions="Where sources disagree",
    unconfirmed="Named by the model, not confirmed by code.",
    limits="Limits of this report",
    follow_up="Questions to ask next",
    references="References",
    files="Files",
    nothing_found="No evidence was found for this question, so this report makes no claims.",
    nothing_held="No sentence of the draft was supported by the evidence it cited, so this report makes no claims.",
    failed_step="Step “{title}” failed: {error}",
    skipped_step="Step “{title}” was skipped: {error}",
    missing="The sources do not tell: {aspect}",
    unsupported="Sentences marked as unverified, because what they cite does not support them: {count}.",
    dropped="Sentences left out, because what they cite does not support them: {count}.",
    snippet="{source}: only a search engine's snippet was read, not the page.",
    copy="same text: {urls}",
    published="published {date}",
    uncited="read, not cited",
    kinds={"document": "document", "database": "database", "computation": "computation", "tool": "tool"},
    reason_uncited="It cites nothing.",
    reason_unknown="It cites {what}, and there is no such excerpt.",
    reason_numbers="Not in what it cites: {what}.",
    reason_untraced="Computed from numbers that no source gives: {what}.",
    reason_names="Names that are not in what it cites: {what}.",
    reason_words="Too few of its words are in what it cites.",
    reason_language="What it cites is in another language, and it holds no number or name to check it by.",
    reason_meaning="What it cites is in another language, and does not come near enough to it in meaning.",
    reason_negation="It denies something, and what it cites denies nothing.",
    reason_opposite="What it cites says the opposite of: {what}.",
    reason_quote="It is not a verbatim quote of an excerpt.",
)
CHINESE = Labels(
    unverified="⚠ 未核实",
    conclusion="结论",
    contradictions="来源之间的分歧",
    unconfirmed="由模型指出，程序未能证实。",
    limits="本报告的局限",
    follow_up="可以继续追问",
    references="参考来源",
    files="文件",
    nothing_found="没有找到与该问题有关的证据，因此本报告不作任何论断。",
    nothing_held="草稿中没有任何句子得到其引用证据的支持，因此本报告不作任何论断。",
    failed_step="步骤“{title}”失败：{error}",
    skipped_step="步骤“{title}”被跳过：{error}",
    missing="来源没有说明：{aspect}",
    unsupported="标为未核实（所引内容不足以支持）的句子：{count} 个。",
    dropped="因所引内容不足以支持而删去的句子：{count} 个。",
    snippet="{source}：只读到搜索引擎的摘要，未读到网页本身。",
    copy="相同文本：{urls}",
    published="发布于 {date}",
    uncited="已读，未引用",
    kinds={"document": "文档", "database": "数据库", "computation": "计算", "tool": "工具"},
    reason_uncited="没有引用。",
    reason_unknown="引用了不存在的摘录 {what}。",
    reason_numbers="所引内容中没有：{what}。",
    reason_untraced="由没有来源给出的数字计算得出：{what}。",
    reason_names="所引内容中没有这些名称：{what}。",
    reason_words="所引内容中只有很少的相同词语。",
    reason_language="所引内容是另一种语言，且句中没有可供核对的数字或名称。",
    reason_meaning="所引内容是另一种语言，意思与句子不够接近。",
    reason_negation="句子作了否定，而所引内容没有否定。",
    reason_opposite="所引内容的说法与此相反：{what}。",
    reason_quote="不是摘录的逐字引文。",
    brackets=("（", "）"),
)


def labels(locale: str) -> Labels:
    """Return the labels of a locale: Chinese for Chinese ones, else English."""
    return CHINESE if is_chinese(locale) else ENGLISH
