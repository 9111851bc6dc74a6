"""What a server needs beside LangGraph's own: access, accounts, attachments, and the page."""
