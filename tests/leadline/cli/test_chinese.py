"""In a Chinese terminal whatever is wrong is said in Chinese, with what to do next."""

import re
from pathlib import Path

import pytest

from services.run.settings import forget_settings
from tests.leadline.conftest import Leadline

QUESTION = "蒸汽船有多少艘？"
UNREACHED = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "LEADLINE_MAX_RETRIES": "0", "LEADLINE_MODEL": "m"}
TABLE: dict[str, tuple[list[str], dict[str, str], str, str]] = {
    "a setting out of bounds": (["runs"], {"LEADLINE_TOP_K": "0"}, "LEADLINE_TOP_K 无法使用：至少为 1", ".env"),
    "a setting of a model": (
        ["research", QUESTION],
        {"LEADLINE_TEMPERATURE": "hot", "OPENAI_API_KEY": "k"},
        "LEADLINE_TEMPERATURE 不能是 'hot'：应为数字",
        ".env",
    ),
    "a model without an endpoint": (["research", QUESTION], {"LEADLINE_MODEL": "m"}, "没有设置端点", "OPENAI_BASE_URL"),
    "an endpoint that is not there": (["research", QUESTION], UNREACHED, "无法连接模型端点", "OPENAI_BASE_URL"),
    "a home that is a file": (["runs"], {"LEADLINE_HOME": "file.txt"}, "是文件", "LEADLINE_HOME"),
    "a search without its key": (["research", QUESTION, "--search", "tavily"], {}, "没有设置", "TAVILY_API_KEY"),
    "an unknown search": (["research", QUESTION, "--search", "gopher"], {}, "没有名为 'gopher' 的搜索", "duckduckgo"),
    "an option out of bounds": (["research", QUESTION, "--max-seconds", "0"], {}, "不能是 0", "--max-seconds"),
    "a missing profile": (["research", QUESTION, "--profile", "no.yaml"], {}, "无法读取领域配置", "--profile"),
    "an empty question": (["research", " "], {}, "问题是空的", "请提出问题"),
    "a set that is not there": (["eval", "none.txt"], {}, "无法读取问题集", "请指定其他文件"),
    "nobody to ask": (["init"], {}, "无法在此提问", "leadline init --provider openai"),
    "an unknown provider": (["init", "--provider", "x"], {}, "没有名为 'x' 的提供商", "openai"),
    "a key that nobody can type": (["init", "--provider", "openai"], {}, "缺少 OpenAI 的密钥", "OPENAI_API_KEY"),
    "two changes at a time": (["revise", "abc", "更短", "--shorter"], {}, "一次只能作一项修改", "--shorter"),
    "a command of another name": (["batch"], {}, "现为", "leadline eval"),
}


@pytest.mark.parametrize("case", TABLE)
def test_an_error_is_said_in_chinese_with_what_to_do_next(
    case: str, leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, environment, said, remedy = TABLE[case]
    Path("file.txt").write_text("a file")
    for name, value in {"LANG": "zh_CN.UTF-8", **environment}.items():
        monkeypatch.setenv(name, value)
    forget_settings()
    ran = leadline(*command, *(["--docs", docs] if command[0] == "research" else []))
    assert ran.code in {1, 2}
    assert said in ran.err
    assert remedy in ran.err
    assert not re.search(r"\b(?:cannot|which|There|was|the)\b", ran.err)
