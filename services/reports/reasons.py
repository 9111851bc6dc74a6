"""Reasons why a sentence is unsupported, in words: by the check and by a model, in English and Chinese."""

REASONS: dict[str, str] = {
    "": "",
    "uncited": "It cites nothing.",
    "unknown": "It cites {what}, and there is no such excerpt.",
    "numbers": "Not in what it cites: {what}.",
    "untraced": "Computed from numbers that no source gives: {what}.",
    "names": "Names that are not in what it cites: {what}.",
    "words": "Too few of its words are in what it cites.",
    "language": "What it cites is in another language, and it holds no number or name to check it by.",
    "meaning": "What it cites is in another language, and does not come near enough to it in meaning.",
    "negation": "What it cites denies this: {what}.",
    "denied": "It denies what it cites says: {what}.",
    "opposite": "What it cites says the opposite of: {what}.",
    "period": "What it cites gives {what} for another time.",
    "subject": "What it cites gives {what} for something else.",
    "unit": "What it cites gives {what} in another unit.",
    "other": "What it cites gives another number for this than {what}.",
    "reversed": "What it cites has this change the other way round: {what}.",
    "table": "The table that it cites says otherwise: {what}.",
    "hedge": "What it cites gives this as a possibility or a plan only: {what}.",
    "scope": "What it cites says this of a part only: {what}.",
    "cause": "What it cites gives no such cause: {what}.",
    "superlative": "What it cites does not rank it so: {what}.",
    "roles": "What it cites has others in these roles: {what}.",
    "quote": "It is not a verbatim quote of an excerpt.",
    "premises": "It is marked as inference and does not name two premises from which it could follow.",
    "unrelated": "It is marked as inference, and this premise has nothing to do with it: {what}.",
    "plain": "It is marked as inference and draws no conclusion; its premises do not say it either.",
    "share": "It is marked as inference, and more than a third of its section would be inferred.",
}
"""Texts by the failed part of the check."""
REASONS_CHINESE: dict[str, str] = {
    "": "",
    "uncited": "没有引用。",
    "unknown": "引用了不存在的摘录 {what}。",
    "numbers": "所引内容中没有：{what}。",
    "untraced": "由没有来源给出的数字计算得出：{what}。",
    "names": "所引内容中没有这些名称：{what}。",
    "words": "所引内容中只有很少的相同词语。",
    "language": "所引内容是另一种语言，且句中没有可供核对的数字或名称。",
    "meaning": "所引内容是另一种语言，意思与句子不够接近。",
    "negation": "所引内容否定了这一点：{what}。",
    "denied": "句子否定了所引内容的说法：{what}。",
    "period": "所引内容中的 {what} 属于另一个时间。",
    "subject": "所引内容中的 {what} 说的是别的对象。",
    "unit": "所引内容中的 {what} 用的是另一个单位。",
    "other": "所引内容在这一点上给出的不是 {what}。",
    "reversed": "所引内容中的变化方向相反：{what}。",
    "table": "所引表格并非如此：{what}。",
    "hedge": "所引内容只把这说成可能或计划：{what}。",
    "scope": "所引内容只说了其中一部分：{what}。",
    "cause": "所引内容没有给出这样的原因：{what}。",
    "superlative": "所引内容没有这样的排名：{what}。",
    "roles": "所引内容中角色不同：{what}。",
    "opposite": "所引内容的说法与此相反：{what}。",
    "quote": "不是摘录的逐字引文。",
    "premises": "标为推断，却没有给出两个可以推出它的前提。",
    "unrelated": "标为推断，但这个前提与它无关：{what}。",
    "plain": "标为推断，却没有得出结论；所引前提也没有这样说。",
    "share": "标为推断，但本节的推断已超过三分之一。",
}
JUDGED: dict[str, str] = {
    "supported": "",
    "partly": "A model that checked it found only a part of it in what it cites: “{words}”",
    "contradicted": "A model that checked it found that what it cites contradicts it: “{words}”",
    "not_told": "A model that checked it did not find it in what it cites.",
}
"""Texts by a model's verdict on a statement."""
JUDGED_CHINESE: dict[str, str] = {
    "supported": "",
    "partly": "核查模型只在所引内容中找到其中一部分：“{words}”",
    "contradicted": "核查模型认为所引内容与之矛盾：“{words}”",
    "not_told": "核查模型未在所引内容中找到这一点。",
}
JUDGED_INFERENCE: dict[str, str] = {
    "supported": "",
    "partly": "A model that checked this inference found that its premises bear only a part of it: “{words}”",
    "contradicted": "A model that checked this inference found that its premises speak against it: “{words}”",
    "not_told": "A model that checked this inference found that it does not follow from its premises.",
}
"""Texts by a model's verdict on a conclusion."""
JUDGED_INFERENCE_CHINESE: dict[str, str] = {
    "supported": "",
    "partly": "核查模型认为前提只能推出其中一部分：“{words}”",
    "contradicted": "核查模型认为前提与这一推断相悖：“{words}”",
    "not_told": "核查模型认为从前提推不出这一点。",
}
