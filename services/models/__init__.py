"""Language models: `chat_model(role)` gives one, `ask` and `write` are how nodes talk to it."""

from services.models.ask import ask, write
from services.models.chat import chat_model, close_clients, is_offline

__all__ = ["ask", "chat_model", "close_clients", "is_offline", "write"]
