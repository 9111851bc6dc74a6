"""The client for search services, their records, and what their answers become."""
