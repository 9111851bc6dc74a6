"""The server's additions to LangGraph's: access, accounts, attachments, and the page."""
