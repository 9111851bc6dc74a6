"""Language models: `ask` and `write` are how nodes talk to the model of a role."""

from services.models.ask import ask, write
from services.models.endpoint import clients_open, close_clients

__all__ = ["ask", "clients_open", "close_clients", "write"]
