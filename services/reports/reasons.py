"""Reasons why a sentence is unsupported, in words: by the check and by a model, in English and Chinese."""

REASONS: dict[str, str] = {
    "": "",
    "uncited": "It cites nothing.",
    "unknown": "It cites {what}, which does not exist.",
    "numbers": "Not in what it cites: {what}.",
    "untraced": "Computed from numbers that are in no source: {what}.",
    "names": "Names that are not in what it cites: {what}.",
    "words": "It shares too few words with what it cites.",
    "language": "What it cites is in another language, and there is no number or name to check it by.",
    "meaning": "What it cites is in another language and not close enough in meaning.",
    "negation": "What it cites seems to deny this.",
    "opposite": "What it cites says the opposite of: {what}.",
    "period": "What it cites gives {what} for another time.",
    "subject": "What it cites gives {what} for something else.",
    "unit": "What it cites gives {what} in another unit.",
    "row": "The table that it cites gives {what} in another row or column.",
    "quote": "It is not a verbatim quote.",
    "fault": "The check of this sentence failed with an error; the log has it.",
    "premises": "It is marked as an inference but names no premises.",
    "share": "It is marked as an inference that no model judged, and more than a third of the report would be inferred.",
}
"""Texts by the failed part of the check."""
REASONS_CHINESE: dict[str, str] = {
    "": "",
    "uncited": "没有引用。",
    "unknown": "引用了不存在的 {what}。",
    "numbers": "所引内容中没有：{what}。",
    "untraced": "由没有来源给出的数字计算得出：{what}。",
    "names": "所引内容中没有这些名称：{what}。",
    "words": "所引内容中只有很少的相同词语。",
    "language": "所引内容是另一种语言，且句中没有可供核对的数字或名称。",
    "meaning": "所引内容是另一种语言，意思与句子不够接近。",
    "negation": "所引内容似乎否定了这一点。",
    "period": "所引内容中的 {what} 属于另一个时间。",
    "subject": "所引内容中的 {what} 说的是别的对象。",
    "unit": "所引内容中的 {what} 用的是另一个单位。",
    "row": "所引表格中的 {what} 在另一行或另一列。",
    "opposite": "所引内容的说法与此相反：{what}。",
    "quote": "不是逐字引文。",
    "fault": "核查这句话时程序出错，详见日志。",
    "premises": "标为推断，却没有给出前提。",
    "share": "标为推断，但未经模型核验，而全文的推断已超过三分之一。",
}
JUDGED: dict[str, str] = {
    "supported": "",
    "partly": "A model found only part of it in what it cites: “{words}”",
    "contradicted": "A model found that what it cites contradicts it: “{words}”",
    "not_told": "A model did not find it in what it cites.",
    "no_claim": "",
    "absent": "",
}
"""Texts by a model's verdict on a statement."""
JUDGED_CHINESE: dict[str, str] = {
    "supported": "",
    "partly": "核查模型只在所引内容中找到其中一部分：“{words}”",
    "contradicted": "核查模型认为所引内容与之矛盾：“{words}”",
    "not_told": "核查模型未在所引内容中找到这一点。",
    "no_claim": "",
    "absent": "",
}
JUDGED_INFERENCE: dict[str, str] = {
    "supported": "",
    "partly": "A model found that the premises support only part of this inference: “{words}”",
    "contradicted": "A model found that the premises contradict this inference: “{words}”",
    "not_told": "A model found that this inference does not follow from its premises.",
    "no_claim": "",
    "absent": "",
}
"""Texts by a model's verdict on a conclusion."""
JUDGED_INFERENCE_CHINESE: dict[str, str] = {
    "supported": "",
    "partly": "核查模型认为前提只能推出其中一部分：“{words}”",
    "contradicted": "核查模型认为前提与这一推断相悖：“{words}”",
    "not_told": "核查模型认为从前提推不出这一点。",
    "no_claim": "",
    "absent": "",
}
