"""Language models: `ask` and `write` are how nodes talk to the model of a role."""

from services.models.ask import answer_by_rules, ask, ask_by_rules, write
from services.models.endpoint import clients_open, close_clients

__all__ = ["answer_by_rules", "ask", "ask_by_rules", "clients_open", "close_clients", "write"]
