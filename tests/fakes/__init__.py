"""The far ends of wires: loopback servers that answer like the originals, faults included."""
