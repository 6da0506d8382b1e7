"""The JSON forms of requests and answers."""
