"""Tools of MCP (Model Context Protocol) servers, named by the operator or the run; each run connects once."""

from services.run.scope import register_session_end
from services.search.providers import register_searches
from services.tools.mcp.registry import end
from services.tools.mcp.search_provider import mcp_searches

register_searches(mcp_searches)
register_session_end(end)
