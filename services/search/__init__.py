"""Search: providers behind one protocol, the user's documents among them, and the gathering of what they find."""
