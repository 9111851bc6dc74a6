"""Whether what a statement cites supports it: certain faults and suspicions by code, everything else by the verifier."""
