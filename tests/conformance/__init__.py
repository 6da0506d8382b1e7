"""Outside test vectors, put through the HTTP API."""
