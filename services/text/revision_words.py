"""Whether a message asks to change the finished report, and what a change wants added: by its words in English and Chinese, where they are plain.

Only what is plainly a change is one here: a message that is not, and where a model is connected, goes to the coordinator.
"""

import re

LONGEST = 500
"""Characters of a message that is looked at; longer ones bring a text or a question along."""

_POLITE = (
    r"(?:(?:please|ok|okay|now|and|then|next|thanks|great|fine|good|just)[,.!]?\s|"
    r"(?:can|could|would|will) you (?:please )?|i(?: would|['’]d) like you to |i want you to |let['’]s ){0,4}"
)
_IT = r"(?:it|this|that|all of it|everything|(?:the|this|that|your) (?:whole |entire |final )?(?:report|text|answer|draft|document|summary|thing|article))"
_LANGUAGE = (
    r"(?:simplified |traditional )?(?:english|chinese|mandarin|cantonese|german|french|spanish|italian|portuguese|dutch|japanese|korean|russian|"
    r"arabic|polish|turkish|hindi|vietnamese|swedish|danish|norwegian|finnish|greek|czech|ukrainian)"
)
_MANNER = (
    r"(?:(?:much|a bit|a little|a lot|even|somewhat|far) )?(?:shorter|briefer|simpler|longer|clearer|tighter|plainer|easier(?: to (?:read|understand))?|"
    r"friendlier|crisper|(?:more|less) (?:concise|formal|casual|technical|detailed|readable|academic|compact|accessible|personal|neutral|dry|wordy))"
)
_PART = r"(?:sections?|chapters?|parts?|paragraphs?|sentences?|headings?|tables?|charts?|lists?|bullet points?|bullets|introduction|conclusion|summary|history|title|intro|opening|ending|beginning|abstract)"
_NEW = (
    r"(?:section|chapter|paragraph|part|comparison|table|summary|introduction|conclusion|overview|chart|timeline|glossary|example|examples|abstract|"
    r"tl;dr|sentence|heading|headings|note|title)"
)
_CHANGE = re.compile(
    rf"{_POLITE}(?:"
    rf"(?:make|keep|get) {_IT} .{{0,20}}{_MANNER}\b"
    rf"|(?:make|turn|convert|change|transform) {_IT} (?:in)?to (?:a |an )?.{{1,60}}"
    rf"|{_MANNER}(?:,? please| now| still| again| version)?[\s.!]{{0,3}}$"
    rf"|(?:in|into) (?:{_LANGUAGE}|(?:simple|simpler|plain|plainer|easy|other|fewer) (?:words|language|english|terms)|bullet points|bullets)(?:,? please)?[\s.!]{{0,3}}$"
    rf"|(?:as|with|without) (?:a )?(?:bullet points|bullets|list|table|headings|tables|charts)(?:,? please)?[\s.!]{{0,3}}$"
    rf"|translate (?:{_IT} )?(?:in)?to {_LANGUAGE}\b"
    rf"|(?:translate|shorten|condense|abridge|tighten|trim|simplify|summari[sz]e|rewrite|rephrase|reword|restructure|reorgani[sz]e|reorder|rearrange|"
    rf"reformat|polish|edit|revise|proofread|expand|split|regroup|adapt) {_IT}(?: |[.!]|$)"
    rf"|(?:shorten|condense|tighten|simplify|expand|rewrite|reorder|split|merge|combine|move|rename|make|change|begin with|start with|open with|end with|close with) "
    rf"(?:the|its|your) .{{0,40}}\b{_PART}\b"
    rf"|(?:drop|remove|delete|omit|leave out|cut out|cut|take out|get rid of|skip) (?:(?:the|all|its|any|every|section|chapter|paragraph) |everything|anything)"
    rf"|(?:cut|reduce|boil|bring|trim|get) {_IT} (?:down|to|in half|by)\b"
    rf"|give {_IT} (?:a|an|another|some) .{{1,40}}"
    rf"|(?:i (?:need|want|would like|['’]d like) {_IT}|{_IT} (?:should|must|needs to) be) (?:in|as|for|to be|{_MANNER})\b"
    rf"|(?:add|include|give|go into) (?:some |a bit |a little )?more (?:detail|details|depth|numbers|figures|examples|context|background|about|on)\b"
    rf"|(?:only keep|keep only|keep just|just keep) (?:the|section|what)\b"
    rf"|(?:no|fewer|less|more|without) (?:jargon|technical terms|foreign words|bullet points|bullets|headings|tables|charts|repetitions?|adjectives)\b"
    rf"|(?:add|include|insert|append|put in|write) (?:(?:a|an|another|one more|some|the|more)\s)?(?:\w{{1,15}}\s){{0,2}}{_NEW}\b"
    rf"|(?:put|phrase|say|write|give|present|format|express|tell) {_IT} (?:(?:again )?(?:in|into|as|for|with|without)\b|(?:more|less) )"
    rf"|use (?:simple|simpler|plain|plainer|shorter|easier|fewer|bullet|more|less|a (?:more|less|different|friendlier))\b.{{0,30}}\b(?:words|language|sentences|tone|style|points|terms|headings|jargon)"
    rf"|(?:give me |write |make )?(?:a|an|the|another) (?:\w{{1,15}} )?version (?:of (?:it|this|the report) )?(?:for|in|without|with)\b"
    r")",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^\W{0,3}(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|has|have|had|should|may|might)\b"
    r"|谁|什么|为何|为什么|怎么样|怎样|如何|多少|哪[些个里一种位年]|何时|几[个时年]|是否|是不是|有没有|[吗呢么]\s*[?？]?$",
    re.IGNORECASE,
)
_ASKED_POLITELY = re.compile(
    rf"{_POLITE.replace('{0,4}', '{1,4}')}|(?:请|你|您)?(?:能不能|能否|可否|可不可以|可以|能)", re.IGNORECASE
)
_POLITE_ZH = (
    r"(?:(?:请你?|麻烦你?|帮我|帮忙|那就?|现在|好的?|接着|然后|再|就|你|您|我想要?|我要|"
    r"能不能|能否|可否|可不可以|可以|能|(?:报告|内容|写得)?太(?:长|难|复杂|啰嗦|专业|正式)了?)[，,。\s]{0,2}){0,5}"
)
_REPORT_ZH = r"(?:它|全文|全篇|(?:这份|这篇|整篇|整份|该)?(?:报告|文章|文本|回答|内容|稿子|摘要|正文))"
_PART_ZH = r"(?:节|章|章节|部分|段|段落|句|标题|表格?|图表?|列表|小结|总结|摘要|结论|引言|历史)"
_LANGUAGE_ZH = r"(?:[中英德法日俄韩西葡意]|阿拉伯|西班牙|葡萄牙|意大利|简体中|繁体中)[文语]"
_MANNER_ZH = r"(?:短|简短|简洁|简单|精简|通俗|易懂|正式|口语化?|详细|活泼|亲切|客观|专业|严谨|清楚|浅显|轻松|紧凑)"
_CHANGE_ZH = re.compile(
    rf"{_POLITE_ZH}(?:"
    rf"[把将].{{0,40}}(?:删|去掉|拿掉|缩|精简|压缩|翻译|译成|改写|改成|改为|改得|重写|写成|写得|重新组织|简化|换成|变成|移到|放到|合并|拆成|整理成)"
    rf"|(?:缩短|缩写|精简|压缩|简化|浓缩|润色|扩写|重写|改写)(?:{_REPORT_ZH}|一?下|一?点|一些|到|成|为|[\s。！!]{{0,3}}$)"
    rf"|(?:更|再|写得?|改得?|说得?|弄得?|做得?)(?:更|再|得)?{_MANNER_ZH}(?:一?[点些]|$)"
    rf"|{_MANNER_ZH}(?:一[点些]|[点些])(?:$|[。！!，,吧])"
    rf"|(?:删减|缩减|压缩|精简|缩)(?:到|成|为|至).{{1,12}}"
    rf"|(?:开头|结尾|开篇|先|最后)(?:部分)?(?:先|再|要)?(?:写|给出?|放|加上?).{{1,20}}"
    rf"|(?:只|仅)(?:保留|留下?|要|需要)(?:第|前|后|最|“|开头|结论|摘要|正文).{{1,30}}"
    rf"|(?:语言|语气|文字|用词|风格|内容|措辞|句子).{{0,4}}(?:再|更|要|得)?.{{1,6}}(?:一[点些]|[点些])[\s。！!吧]{{0,3}}$"
    rf"|(?:再|更|要).{{1,4}}(?:一[点些]|些)[\s。！!吧]{{0,3}}$"
    rf"|(?:去除|剔除|去掉|减少|少用|不用|不要用?|避免|不要有).{{0,8}}(?:术语|行话|缩写|外文|英文词|重复|列表|标题|表格|套话)"
    rf"|(?:最后|第|前|后|开头).{{1,12}}(?:节|段|部分|章)(?:可以|就|都)?(?:不要|不用|删)(?:掉|了)?[\s。！!吧]{{0,3}}$"
    rf"|(?:合并|拆分|调换|交换|移动|对调)(?:最|第|前|后|这|开头).{{1,20}}(?:节|段|部分|章)"
    rf"|(?:标题|题目|小标题|结构|顺序|语气|第.{{1,3}}[节段章]).{{0,6}}(?:改成|改为|换成|调整|改一?下)"
    rf"|(?:翻译|译)(?:{_REPORT_ZH})?(?:成|为|到){_LANGUAGE_ZH}"
    rf"|(?:用|以){_LANGUAGE_ZH}(?:再|重新)?(?:写|重写|改写|表达|给我)"
    rf"|(?:用|以)(?:更|比较)?.{{1,12}}的?(?:话|语言|语气|口吻|风格|方式|文字|词语?)(?:来|再|重新)?(?:写|重写|改写|说|讲|表达|描述)"
    rf"|(?:改写成|改写为|重写成|重写为|改成|改为|写成|换成|做成|整理成|列成|变成)(?:一?[个份种])?.{{1,30}}"
    rf"|(?:删除|删去|删掉|去掉|略去|省略|拿掉|移除|不要)(?:掉|了)?.{{0,40}}{_PART_ZH}(?:了|吧|内容)?[\s。！!]{{0,3}}$"
    rf"|(?:删除|删去|删掉)(?:第|关于|“|其中|所有|最后).{{1,40}}"
    rf"|(?:在{_REPORT_ZH}[里中]?)?(?:补充|增加|添加|加上|加入|加|追加|插入|增补|补上)(?:上|进)?"
    rf"(?:一?[节章段个张份]|一些|关于|有关|与|和|同|.{{1,30}}(?:的?(?:比较|对比|一节|章节|部分|表格|图表|小结|总结|摘要|结论|段落|例子))).{{0,60}}"
    rf"|(?:调整|修改|重新安排|重新组织|重组|重排|改变|改一?下)(?:一下)?.{{0,6}}(?:{_REPORT_ZH}|结构|顺序|语气|标题|风格)"
    rf"|语气.{{0,4}}{_MANNER_ZH}"
    rf"|按(?:照)?.{{1,20}}(?:重新)?(?:组织|排列|编排|分节|分段|整理|排序)"
    rf"|给.{{1,15}}[看读听用]的(?:版本?|$)"
    rf"|(?:来|要|给我)?一?[个份]?.{{1,12}}版(?:本)?(?:的报告)?[\s。！!]{{0,3}}$"
    rf"|(?:再)?(?:补充|增加|添加)(?:一?[些点下])?(?:对|关于|有关)?.{{1,30}}的(?:说明|介绍|内容|数据|信息|资料|背景|细节)[\s。！!]{{0,3}}$"
    r")"
)
_COMPLAINT = re.compile(
    r"(?:(?:it|this|that|the (?:report|text|answer))(?: is|['’]s) (?:far |much |way )?too \w{1,15}|(?:它|报告|全文|内容|文章)?太.{1,6}了?)[,;，；]\s?",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?。！？\n]{1,500}[.!?。！？\n]?")

_ADDED = re.compile(
    r"\b(?:add|include|insert|append|write|put in|and|plus)\s(?:(?:a|an|another|one more|some|the|more)\s)?(?:\w{1,15}\s)?"
    r"(?:section|chapter|paragraph|part|overview|table|note)s?\s(?:on|about|of|for|with|covering|that (?:covers|explains|tells)|listing)\s"
    r"(?P<topic>[^.!?;\n]{2,120})",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:(?:add|include|insert|append|write|make|draw|and|plus)\s(?:(?:a|an|another|the|some)\s)?(?:\w{1,15}\s)?comparisons?\s(?:with|to|of|against|between)|"
    r"compare (?:it|this|that|these|them|the (?:report|results?|figures?|findings?)) (?:with|to|against))\s(?P<topic>[^.!?;\n]{2,120})",
    re.IGNORECASE,
)
_ADDED_ZH = re.compile(
    r"(?:补充|增加|添加|加上|加入|加|追加|插入|增补|补上)(?:上|进)?(?:一?[节章段个]|一些|一部分)?(?:内容|章节|说明|介绍)?(?:[，,：:]\s?)?(?:关于|有关|介绍|说明|讲|谈|涉及)"
    r"(?P<topic>[^。！？!?；;，,\n]{2,60})"
)
_COMPARED_ZH = re.compile(
    r"(?:(?:补充|增加|添加|加上|加入|加|追加|插入)(?:上|进)?(?:一?[节章段个])?[与和同跟](?P<topic>[^。！？!?；;，,\n]{2,60}?)(?:的)?(?:比较|对比)|"
    r"(?:把|将)(?:它|报告|结果|这些)[与和同跟](?P<other>[^。！？!?；;，,\n]{2,60}?)(?:作|做|进行|相)?(?:比较|对比))"
)
_TAIL = re.compile(
    r"(?:的?(?:内容|章节|部分|信息|一节|一段|段落))$|(?:,? (?:please|too|as well|to (?:it|the report)|in (?:it|the report)|section))$",
    re.IGNORECASE,
)
_FURTHER = re.compile(
    r",?\s(?:and|but|then)\s(?:then\s)?(?:please\s)?(?:make|keep|turn|translate|shorten|drop|remove|delete|omit|leave|add|use|put|write|rewrite|"
    r"restructure|simplify|condense|(?:an?|another|the) (?:comparison|section|chapter|paragraph|overview|table))\b",
    re.IGNORECASE,
)
"""Where a request goes on with another change."""
_ARTICLE = re.compile(r"^(?:the|its|their|a|an)\s", re.IGNORECASE)


def asks_for_change(text: str) -> bool:
    """Tell whether a message plainly asks to change the report that stands above it.

    A message of several sentences does where its first or its last one does, and none of the others is a question.
    """
    message = " ".join(text.split())
    if not message or len(message) > LONGEST:
        return False
    parts = [part.strip() for part in _SENTENCE.findall(message) if part.strip(" .!。！")]
    if not parts:
        return False
    asking = [part for part in parts if part.endswith(("?", "？")) and not _changes(part)]
    return not asking and (_changes(parts[0]) or _changes(parts[-1]))


def _changes(sentence: str) -> bool:
    """Tell whether a sentence asks for a change: one that asks for it as a question does so politely."""
    words = _COMPLAINT.sub("", sentence.strip(" \"'“”‘’"), count=1)
    if _QUESTION.search(words.rstrip("吗?？")) or (words.endswith(("?", "？")) and not _ASKED_POLITELY.match(words)):
        return False
    return bool(_CHANGE.match(words) or _CHANGE_ZH.match(words))


def additions(request: str) -> list[str]:
    """Return what a change wants added: the topics of new sections and the other sides of comparisons, in their order."""
    words = " ".join(request[:2_000].split())
    found = [
        (match.start(), next(filter(None, match.groupdict().values())))
        for pattern in (_ADDED, _COMPARED, _ADDED_ZH, _COMPARED_ZH)
        for match in pattern.finditer(words)
    ]
    topics = (_topic(topic) for _, topic in sorted(found))
    return list(dict.fromkeys(filter(None, topics)))


def without_additions(request: str) -> str:
    """Return a request without what it wants added."""
    words = " ".join(request.split())
    for pattern in (_ADDED, _COMPARED, _ADDED_ZH, _COMPARED_ZH):
        words = pattern.sub(_rest, words)
    return " ".join(words.split())


def _rest(match: re.Match[str]) -> str:
    """Return the further change that stands behind what is to be added."""
    further = _FURTHER.search(match[0])
    return match[0][further.start() :] if further else " "


def _topic(words: str) -> str:
    topic = _FURTHER.split(words, maxsplit=1)[0].strip(" .,，。\"'“”‘’《》「」")
    for _ in range(2):
        topic = _TAIL.sub("", topic).strip(" .,，。\"'“”‘’")
    return _ARTICLE.sub("", topic)
