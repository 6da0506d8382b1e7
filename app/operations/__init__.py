"""What an operator sees of a server: logs, metrics, and how it stops."""
