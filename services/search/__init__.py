"""Search: providers behind one protocol, including the user's documents, and the merging of their results."""
