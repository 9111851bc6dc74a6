"""Tools of MCP (Model Context Protocol) servers, named by the operator or the run; each run connects once."""
