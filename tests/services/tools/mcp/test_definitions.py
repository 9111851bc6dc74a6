"""Names and schemas of servers, made fit for any endpoint."""

import json
import re
from typing import Any

import pytest
from langchain_core.utils.function_calling import convert_to_openai_tool
from mcp.types import Tool

from services.tools.mcp.configuration import Server
from services.tools.mcp.offered_tools import MAX_SCHEMA, definitions, parameters, tool_name
from services.tools.mcp.tools import McpTool

SERVER = Server("a server", "stdio", command="x", secrets=("hush-hush",))


@pytest.mark.parametrize(
    ("server", "tool"),
    [
        ("a", "b"),
        ("my server!", "get weather/today"),
        ("s" * 64, "t" * 200),
        ("天气", "查询"),
        ("a.b", "-"),
        ("$", "$"),
    ],
)
def test_a_name_is_of_the_form_that_every_endpoint_takes(server: str, tool: str) -> None:
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool_name(server, tool, ()))


def test_names_that_would_become_one_stay_apart() -> None:
    listed = [Tool(name=name, inputSchema={}) for name in ("get/x", "get x", "get_x", "t" * 100 + "1", "t" * 100 + "2")]
    made = definitions(SERVER, listed)
    assert len({tool.name for tool in made}) == len(listed)
    assert [tool.remote for tool in made] == [tool.name for tool in listed]
    assert [tool.name for tool in made] == [tool.name for tool in definitions(SERVER, listed)]


def test_a_description_is_short_and_holds_nothing_hidden_and_no_secret() -> None:
    [made] = definitions(
        SERVER, [Tool(name="t", description="Say\u200b\u202e it. hush-hush " + "x" * 5_000, inputSchema={})]
    )
    assert made.description.startswith("Say it. …")
    assert len(made.description) <= 800


NODE = {
    "type": "object",
    "properties": {"child": {"$ref": "#/$defs/Node"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
}
ODD: dict[str, Any] = {
    "nothing": {},
    "not an object": {"type": "string"},
    "no type": {"properties": {"a": {"description": "x"}}, "required": ["a", "b", 3]},
    "true and false": {"type": "object", "properties": {"a": True, "b": False}},
    "a reference": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"enum": ["x"]}}},
    "a reference to nowhere": {"type": "object", "properties": {"a": {"$ref": "#/$defs/No"}}},
    "a reference elsewhere": {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/x.json"}}},
    "a circle": {"type": "object", "properties": {"a": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": NODE}},
    "itself": {"type": "object", "properties": {"a": {"$ref": "#"}}},
    "huge": {"type": "object", "properties": {f"p{n}": {"type": "string", "description": "d" * 999} for n in range(500)}},
    "deep": json.loads('{"type": "object", "properties": {"a": ' * 60 + "{}" + "}}" * 60),
    "all of": {"allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {}}, "required": ["b"]}]},
    "types as a list": {"type": "object", "properties": {"a": {"type": ["string", "null", "date"]}}},
    "a long enumeration": {"type": "object", "properties": {"a": {"enum": list(range(5_000))}}},
    "nonsense": {"type": "object", "properties": {"a": {"type": 3, "items": "x", "anyOf": "y", "allOf": 1}}, "required": "a"},
    "an array without items": {"type": "object", "properties": {"a": {"type": "array"}}},
}  # fmt: skip


@pytest.mark.parametrize("schema", ODD.values(), ids=ODD.keys())
def test_an_odd_schema_becomes_a_plain_one(schema: dict[str, Any]) -> None:
    plain = parameters(schema)
    assert plain["type"] == "object"
    assert isinstance(plain["properties"], dict)
    assert set(plain.get("required", [])) <= set(plain["properties"])
    text = json.dumps(plain)
    assert len(text) <= MAX_SCHEMA
    assert "$ref" not in text
    [made] = definitions(SERVER, [Tool(name="t", inputSchema=schema)])
    offered = convert_to_openai_tool(McpTool.of(made, None, ""))["function"]
    assert offered["name"] == "a_server__t"
    assert offered["parameters"]["properties"].keys() == plain["properties"].keys()


def test_what_a_schema_says_stays() -> None:
    schema = {
        "type": "object",
        "properties": {"zone": {"type": "string", "description": "A zone", "enum": ["UTC"], "title": "Zone"}},
        "required": ["zone"],
        "additionalProperties": False,
        "$schema": "https://json-schema.org/draft-07/schema#",
    }
    assert parameters(schema) == {
        "type": "object",
        "properties": {"zone": {"type": "string", "description": "A zone", "enum": ["UTC"]}},
        "required": ["zone"],
    }
