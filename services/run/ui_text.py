"""What the program itself says to a person, in English and Chinese. Reports have their own labels beside them."""

import re

from schemas.clean import clean_text
from services.run.errors import UselessAnswer
from services.run.private_paths import without_paths

LONGEST_PROBLEM = 150
_HAN = re.compile("[\u4e00-\u9fff]")
MESSAGES: dict[str, tuple[str, str]] = {
    "report_cut": (
        "What was written is longer than {characters:,} characters; the rest was left out.",
        "所写内容超过 {characters:,} 个字符，其余部分已略去。",
    ),
    "examples": (
        "No documents were named and no search key is set, so the example documents are searched. "
        "Name your own with --docs DIR, or search the web: --search duckduckgo needs no key, or set TAVILY_API_KEY.",
        "未指定文档，也没有设置搜索密钥，因此检索的是示例文档。请用 --docs 目录 指定自己的文档，或搜索网络：--search duckduckgo 无需密钥，也可设置 TAVILY_API_KEY。",
    ),
    "starting": ("Researching: {question}", "开始研究：{question}"),
    "words_only": (
        "Documents are searched by their words alone: no embedding model is installed. To find what is said in other "
        "words or in another language, run: {reason}",
        "文档仅按字词检索：没有安装向量模型。若要找到用其他说法或其他语言写成的内容，请运行：{reason}",
    ),
    "too_many_passages": (
        "The folder has {reason} passages, too many for the slow embedding model; the fast one is used alone.",
        "文件夹中有 {reason} 段文字，对慢速向量模型来说过多，因此只使用快速模型。",
    ),
    "files_read_unlocked": (
        "Files were read by a process that could not be locked in ({reason}); `leadline doctor` says more.",
        "读取文件的进程未能被隔离（{reason}）；运行 leadline doctor 可了解详情。",
    ),
    "triage": ("Understanding the question", "理解问题"),
    "background": ("Looking around before planning: {count} passages", "规划前的背景调查：{count} 段材料"),
    "recalled": (
        "Known from this conversation: {count} passages; they are not searched for again",
        "本次对话中已有 {count} 段材料，不再重复检索",
    ),
    "reused": (
        "Quotes taken from earlier turns of this conversation and not looked up again: {quotes} (sources: {sources}).",
        "取自本次对话前几轮、未重新检索的摘录：{quotes} 条（来源 {sources} 个）。",
    ),
    "edge_case": (
        "This question is at the border of what the sources here cover; what follows is what they do say.",
        "这个问题处于所附资料范围的边缘，下面只写资料中确实提到的内容。",
    ),
    "plan": ("Making the research plan: {title}", "制定研究计划：{title}"),
    "plan_enough": ("Enough is known: no further steps", "信息已经足够，无需更多步骤"),
    "review": ("Please review the plan", "请审阅研究计划"),
    "review_answers": (
        'Answer {{"action": "accept"}}, {{"action": "edit", "feedback": "what to change"}} or '
        '{{"action": "replace", "plan": {{…}}}}; "[ACCEPTED]" and "[EDIT_PLAN] what to change" work too.',
        '请回答 {{"action": "accept"}}、{{"action": "edit", "feedback": "要改什么"}} 或 '
        '{{"action": "replace", "plan": {{…}}}}；也可以写 "[ACCEPTED]" 或 "[EDIT_PLAN] 要改什么"。',
    ),
    "review_chat": (
        "Accept this plan, change it, or say in your own words what to change.",
        "请接受该计划、直接修改，或用自己的话说明要改什么。",
    ),
    "review_rejected": ("That answer cannot be used: {reason}", "这个回答无法使用：{reason}"),
    "plan_accepted": ("Plan accepted", "计划已接受"),
    "plan_edit": ("Planning again with your feedback", "根据您的意见重新规划"),
    "seen_usage": (
        "calls {calls} · tokens {tokens} · sources {sources} · {time}",
        "调用 {calls} · 词元 {tokens} · 来源 {sources} · {time}",
    ),
    "seen_cost": ("${cost}", "{cost} 美元"),
    "doing_background": ("Looking around before planning …", "规划前的背景调查……"),
    "doing_planner": ("Making the research plan …", "制定研究计划……"),
    "doing_reflector": ("Reflecting on what was found …", "反思已有发现……"),
    "seen_plan": ("Plan {number}: {title}", "计划 {number}：{title}"),
    "seen_plan_done": ("{done} of {all} steps done", "{all} 步中已完成 {done} 步"),
    "seen_quotes": ("{count} quotes, {confidence}%", "{count} 条摘录，{confidence}%"),
    "seen_reading": ("sources {count}, last: {title}", "{count} 个来源，最近：{title}"),
    "seen_waits": ("after {steps}", "等待 {steps}"),
    "seen_redone": ("attempt {attempt}", "第 {attempt} 次"),
    "seen_more": ("… {count} more", "… 另有 {count} 项"),
    "seen_stopped": ("Stopped", "已停止"),
    "step_started": ("Step {id}: {title}", "步骤 {id}：{title}"),
    "step_redone": ("Step {id}, attempt {attempt}: {title}", "步骤 {id}，第 {attempt} 次尝试：{title}"),
    "source": ("Read: {title}", "阅读：{title}"),
    "step_done": (
        "Step {id} done: {excerpts} excerpts, confidence {confidence}",
        "步骤 {id} 完成：{excerpts} 条摘录，置信度 {confidence}",
    ),
    "step_failed": ("Step {id} failed: {error}", "步骤 {id} 失败：{error}"),
    "step_skipped": ("Step {id} skipped: {error}", "步骤 {id} 跳过：{error}"),
    "reflection_enough": ("Reflection: enough is known", "反思：信息已经足够"),
    "reflection_gaps": ("Reflection: still missing: {gaps}", "反思：仍缺少：{gaps}"),
    "reflection_redo": ("Reflection: to redo: {steps}", "反思：需要重做：{steps}"),
    "writing": ("Writing the report", "撰写报告"),
    "report": (
        "Report: {claims} claims, {verified} verified, {sources} sources",
        "报告：{claims} 条论断，{verified} 条已核实，{sources} 个来源",
    ),
    "no_sources": (
        "No source was found for this step. Name other documents with --docs, or set TAVILY_API_KEY to search the web.",
        "没有找到与该步骤有关的来源。请用 --docs 指定其他文档，或设置 TAVILY_API_KEY 以搜索网络。",
    ),
    "searches_failed": (
        "No source was found for this step, and not every search worked. {reason}",
        "没有找到与该步骤有关的来源，且部分检索未能完成。{reason}",
    ),
    "useless_answer": (
        "However often it was asked, the language model gave no answer that can be used (the last one: {problem}). "
        "A more capable one may: name it with LEADLINE_MODEL_{role}.",
        "语言模型多次回答，均无法使用（最后一次的问题：{problem}）。可用 LEADLINE_MODEL_{role} 指定能力更强的模型。",
    ),
    "trouble": ("{reason}", "出现故障，系统原文提示：{reason}"),
    "search_trouble": ("{reason}", "检索中有一处故障，系统原文提示：{reason}"),
    "program_failed": ("The last program failed: {reason}", "最后一次运行的程序出错：{reason}"),
    "tool_call_failed": ("The last call of a tool failed: {reason}", "最后一次工具调用失败：{reason}"),
    "section_by_rules": (
        "The section “{title}” could not be written by the model; it quotes its evidence instead.",
        "“{title}”一节未能由模型撰写，改为直接引用证据。",
    ),
    "joined_by_rules": (
        "The sections were not revised together; some things may be said twice.",
        "各节未经统一修订，部分内容可能重复。",
    ),
    "writing_file": ("Writing {name}", "正在撰写 {name}"),
    "no_tool_result": ("No tool returned anything for this step.", "没有任何工具为该步骤返回结果。"),
    "no_quotes": ("The sources that were found do not answer this step.", "找到的来源没有回答该步骤。"),
    "dependency_failed": ("The steps that it depends on came to nothing.", "它所依赖的步骤没有结果。"),
    "plan_limit": (
        "The limit of {limit} plans was reached (max_plan_iterations).",
        "已达到计划次数上限 {limit}（max_plan_iterations）。",
    ),
    "step_limit": (
        "A plan had more than {limit} steps; the rest was left out (max_step_num).",
        "计划的步骤超过上限 {limit}，其余步骤已省略（max_step_num）。",
    ),
    "background_evidence": ("Background", "背景"),
    "untraced": (
        "Not verified: computed from numbers that no source gives ({what}).",
        "未核实：由没有来源给出的数字计算得出（{what}）。",
    ),
    "untraced_step": (
        "Step {id} was computed from numbers that no source gives ({what}); its numbers are not verified.",
        "步骤 {id} 由没有来源给出的数字计算得出（{what}），其中的数字未经核实。",
    ),
    "no_input": ("the program reads no input", "程序没有读取任何输入"),
    "redo_failed": (
        "Attempt {attempt} of step {id} added nothing ({error}); what the step had found before is kept.",
        "步骤 {id} 的第 {attempt} 次尝试没有新的结果（{error}），此前找到的内容予以保留。",
    ),
    "verdict_sound": (
        "It is done and names nothing that is missing; no model was asked.",
        "步骤已完成且未指出缺失内容，因此未询问模型。",
    ),
    "attempt_limit": (
        "Step {id} was tried {limit} times (max_step_attempts).",
        "步骤 {id} 已尝试 {limit} 次（max_step_attempts）。",
    ),
    "time_limit": (
        "The time limit of {limit} seconds was reached (max_seconds).",
        "已达到 {limit} 秒的时间上限（max_seconds）。",
    ),
    "token_limit": (
        "The limit of {limit} tokens was reached (max_tokens).",
        "已达到 {limit} 个词元的上限（max_tokens）。",
    ),
    "cost_limit": (
        "The limit of {limit} US dollars was reached (max_cost).",
        "已达到 {limit} 美元的费用上限（max_cost）。",
    ),
    "search_limit": (
        "The limit of {limit} searches was reached (max_searches).",
        "已达到 {limit} 次搜索的上限（max_searches）。",
    ),
    "page_limit": (
        "The limit of {limit} pages was reached (max_pages).",
        "已达到 {limit} 个网页的上限（max_pages）。",
    ),
    "mcp_unreachable": (
        "The tool server {server} ({address}) cannot be reached; it was left out.",
        "工具服务器 {server}（{address}）无法连接，因此未使用。",
    ),
    "mcp_refused": (
        "The tool server {server} ({address}) has no public address; it was left out.",
        "工具服务器 {server}（{address}）的地址不是公网地址，因此未使用。",
    ),
    "mcp_status": (
        "The tool server {server} ({address}) answers with HTTP {detail}; it was left out.",
        "工具服务器 {server}（{address}）返回 HTTP {detail}，因此未使用。",
    ),
    "mcp_unstartable": (
        "The tool server {server} ({address}) cannot be started ({detail}); it was left out.",
        "工具服务器 {server}（{address}）无法启动（{detail}），因此未使用。",
    ),
    "mcp_ended": (
        "The tool server {server} ({address}) ended as soon as it was started; it was left out.",
        "工具服务器 {server}（{address}）启动后立即退出，因此未使用。",
    ),
    "mcp_silent": (
        "The tool server {server} ({address}) did not answer within {detail} seconds; it was left out.",
        "工具服务器 {server}（{address}）在 {detail} 秒内没有回应，因此未使用。",
    ),
    "mcp_garbage": (
        "The tool server {server} ({address}) does not answer as an MCP server; it was left out.",
        "工具服务器 {server}（{address}）的回应不符合 MCP 协议，因此未使用。",
    ),
    "mcp_empty": (
        "The tool server {server} ({address}) has no tools; it was left out.",
        "工具服务器 {server}（{address}）没有任何工具，因此未使用。",
    ),
    "mcp_died": (
        "The tool server {server} ({address}) broke off in the middle of a call; it was left out.",
        "工具服务器 {server}（{address}）在调用中断开，因此未使用。",
    ),
    "mcp_unset": (
        "The tool server {server} ({address}) needs {detail}, which is not set in the environment; it was left out.",
        "工具服务器 {server}（{address}）需要环境变量 {detail}，但未设置，因此未使用。",
    ),
    "mcp_cut": (
        "The tool server {server} ({address}) has more than {detail} tools; the rest was left out.",
        "工具服务器 {server}（{address}）的工具超过 {detail} 个，其余未使用。",
    ),
    "left_out": (
        "{count} pieces of evidence did not fit into the model's context and were left out ({node}).",
        "有 {count} 段材料超出模型上下文长度而被省略（{node}）。",
    ),
    "cut_off": (
        "The model's text was cut off at its limit of tokens.",
        "模型的文本达到词元上限而被截断。",
    ),
    "report_by_rules": (
        "A limit left no room for the language model to write this report: its sentences are extracts, selected by rules.",
        "由于达到上限，语言模型未能撰写本报告：句子由规则从来源中摘选。",
    ),
    "question_by_rules": (
        "The language model could not be brought to say what is asked: the question was read by rules, as it stands.",
        "语言模型未能给出对问题的可用解读：问题按原文由规则理解。",
    ),
    "plan_by_rules": (
        "The language model gave no plan that can be carried out: plan {number} was made by rules.",
        "语言模型未能给出可执行的计划：第 {number} 个计划由规则制定。",
    ),
    "reflection_by_rules": (
        "The language model gave no judgement that can be used: whether enough is known was decided by rules.",
        "语言模型未能给出可用的判断：信息是否足够由规则决定。",
    ),
    "outline_by_rules": (
        "The language model gave no outline that can be used: there is a section for each step.",
        "语言模型未能给出可用的提纲：每个步骤各成一节。",
    ),
    "report_without_model": (
        "The language model gave no text for this report: its sentences are extracts, selected by rules.",
        "语言模型未能为本报告提供文本：句子由规则从来源中摘选。",
    ),
    "nothing_supported": (
        "No sentence of this report is proven by the evidence that was found. The evidence is in evidence.json.",
        "本报告没有任何句子得到所找到证据的证明。证据见 evidence.json。",
    ),
    "chart_refused": ("A chart was left out. {reason}", "有一个图表被省略。{reason}"),
    "chart_form": ("Its data does not have the form of a chart: {what}.", "其数据不符合图表格式：{what}。"),
    "chart_unknown": ("It cites {what}, and there is no such excerpt.", "它引用了不存在的摘录 {what}。"),
    "chart_numbers": ("Not in what it cites: {what}.", "所引内容中没有：{what}。"),
    "chart_one_number": ("It shows a single number.", "它只有一个数字。"),
    "chart_lengths": (
        "A series must have one value for each category, and each category a name of its own.",
        "每个系列须与类别一一对应，且类别名称不得重复。",
    ),
    "chart_names": ("Several series must have names that differ.", "多个系列必须有不同的名称。"),
    "chart_points": ("A scatter chart has points and no categories.", "散点图应给出坐标点，而不是类别。"),
    "chart_too_many": (
        "It has {what} numbers, too many for a picture.",
        "它有 {what} 个数字，过多，无法在一张图中看清。",
    ),
    "chart_pie_series": ("A pie shows one series.", "饼图只能有一个系列。"),
    "chart_pie_parts": (
        "A pie shows 2 to {what} parts, none of them negative.",
        "饼图应有 2 到 {what} 个部分，且不得为负。",
    ),
    "chart_pie_whole": (
        "Its parts do not make up one whole: {what} is neither 100 percent nor in what it cites.",
        "各部分不能构成一个整体：合计 {what} 既不是百分之百，也不在所引内容中。",
    ),
    "unisolated": (
        "Model-written code ran without isolation (LEADLINE_SANDBOX=unsafe): it could read and change whatever the user could.",
        "模型编写的代码在没有隔离的情况下运行（LEADLINE_SANDBOX=unsafe）：它可以读取和修改该用户能访问的一切。",
    ),
    "greeting": (
        "Hello! Ask me a question, and I will research it and show the proof.",
        "您好！请提出问题，我会查证资料并给出依据。",
    ),
    "unclear": ("What would you like to know? Please ask in a full sentence.", "您想了解什么？请用一句完整的话提问。"),
    "out_of_scope": ("This question is outside what I am set up to answer.", "这个问题超出了我的服务范围。"),
    "not_research": ("This needs no research.", "这个请求不需要研究。"),
    "show_head": ("begin|took|place|what|when", "开始|用时|位置|内容|时间轴"),
    "show_kinds": (
        "",
        "model 模型|gather 检索|search 搜索|page 网页|tool 工具|code 程序|embedding 向量|tables 表格|likeness 比对",
    ),
    "show_legend": ("on the critical path|waiting", "在关键路径上|等待"),
    "show_failed": ("failed: {error}", "失败：{error}"),
    "show_retried": ("tried again after {faults}", "因 {faults} 重试"),
    "show_waited": ("waited {seconds} s", "等待 {seconds} 秒"),
    "show_tokens": ("{read} tokens in, {wrote} out", "输入 {read}、输出 {wrote} 个词元"),
    "show_cached": ("{tokens} of them cached", "其中 {tokens} 个来自缓存"),
    "show_reused": ("not asked again when the run went on", "续跑时未重复请求"),
    "show_between": ("{seconds} s before it without a call", "此前 {seconds} 秒没有调用"),
    "show_path": (
        "Critical path: {calls} calls that waited for one another, {seconds} s, {share} % of the whole",
        "关键路径：{calls} 次前后相继的调用，共 {seconds} 秒，占全程的 {share}%",
    ),
    "show_reflections": ("Reflections", "反思"),
    "show_reflection": ("Plan {plan}: {enough}. {reasoning}", "第 {plan} 个计划：{enough}。{reasoning}"),
    "show_enough": ("enough is known", "信息已经足够"),
    "show_gaps": ("not enough yet", "信息尚不足够"),
    "show_redo": (
        "Step {step}, attempt {attempt}: to redo: {reason}",
        "步骤 {step}，第 {attempt} 次尝试：需要重做：{reason}",
    ),
    "show_accepted": (
        "Step {step}, attempt {attempt}: accepted: {reason}",
        "步骤 {step}，第 {attempt} 次尝试：通过：{reason}",
    ),
    "show_whole": ("{seconds} s from the first call to the last", "从首次调用到末次调用共 {seconds} 秒"),
    "show_waits": ("{tried} tried again, {seconds} s waited", "重试 {tried} 次，等待 {seconds} 秒"),
    "no_traces": (
        "OTEL_… asks for traces, and what sends them is not installed. Install it with: {command}",
        "环境变量 OTEL_… 要求发送跟踪数据，但所需的软件包尚未安装。安装命令：{command}",
    ),
    "offline": (
        "This report was written without a language model: its sentences are extracts, selected by rules. "
        "To connect one, set OPENAI_API_KEY (and, for other endpoints, OPENAI_BASE_URL and LEADLINE_MODEL).",
        "本报告未使用语言模型：句子由规则从来源中摘选。要连接语言模型，请设置 OPENAI_API_KEY"
        "（其他端点另设 OPENAI_BASE_URL 和 LEADLINE_MODEL）。",
    ),
}


def is_chinese(locale: str) -> bool:
    """Tell whether a locale is a Chinese one."""
    return locale.lower().startswith(("zh", "yue"))


def problem_text(problem: Exception | str, locale: str, key: str = "trouble") -> str:
    """Return what went wrong as a reader is told: framed in the reader's language, where its own words are of another one.

    Args:
        problem: an error, or the words of one, which are English, or in the reader's language already.
        locale: the reader's.
        key: of the frame.
    """
    if isinstance(problem, UselessAnswer):
        return say("useless_answer", locale, problem=problem.problem[:LONGEST_PROBLEM], role=problem.role.upper())
    reason = str(problem)
    return reason if _HAN.search(reason) else say(key, locale, reason=reason)


def say(key: str, locale: str, **values: object) -> str:
    """Return a message in the locale's language, English for all but Chinese."""
    english, chinese = MESSAGES[key]
    return without_paths(clean_text((chinese if is_chinese(locale) else english).format(**values)))
