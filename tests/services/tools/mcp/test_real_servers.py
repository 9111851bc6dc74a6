"""A server that others wrote, and servers at addresses."""

import json

import pytest

from services.run.scope import Run
from services.tools.mcp.offered_tools import servers_once
from services.tools.mcp.tools import mcp_tools
from services.tools.output import ToolOutput
from tests.services.tools.mcp.conftest import BIN, Configure, listening


async def test_the_time_server_converts_between_zones(run: Run, configure: Configure) -> None:
    configure(clock={"command": str(BIN / "mcp-server-time"), "args": ["--local-timezone=UTC"]})
    servers = await servers_once(run)
    assert [view.name for view in servers.views] == ["clock"]
    assert servers.views[0].description == "tools get_current_time, convert_time"
    tools, _ = await mcp_tools(run, ["clock"])
    convert = next(tool for tool in tools if tool.name == "clock__convert_time")
    arguments = {"source_timezone": "Asia/Tokyo", "time": "09:00", "target_timezone": "UTC"}
    message = await convert.ainvoke({"type": "tool_call", "id": "1", "name": convert.name, "args": arguments})
    assert json.loads(message.content)["target"]["datetime"].split("T")[1].startswith("00:00")
    assert isinstance(message.artifact, ToolOutput)
    assert (message.artifact.kind, message.artifact.url) == ("tool", "tool:clock/convert_time")
    assert message.artifact.text == message.content


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_a_server_of_the_sdk_at_an_address(run: Run, configure: Configure, transport: str) -> None:
    with listening("pump", transport) as address:
        configure(pump={"url": address, "transport": transport})
        tools = {tool.name: tool for tool in (await mcp_tools(run, ["pump"]))[0]}
        assert await tools["pump__say"].ainvoke({"words": "hi"}) == "pump says hi"
