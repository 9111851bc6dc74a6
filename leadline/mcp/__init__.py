"""Leadline as an MCP server."""
