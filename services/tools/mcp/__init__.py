"""Tools of servers that speak the Model Context Protocol: named by the operator or the run, connected to once a run."""
