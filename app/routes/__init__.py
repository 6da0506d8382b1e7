"""Thin routes, one module a subject."""
