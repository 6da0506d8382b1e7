"""Logs with a request's id in each line, and nothing of what the request brought."""

from __future__ import annotations

import logging
import traceback
from contextvars import ContextVar
from types import TracebackType
from typing import Any, TypeAlias

from pythonjsonlogger.json import JsonFormatter

ErrorInfo: TypeAlias = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
)
request_id: ContextVar[str] = ContextVar("request_id", default="-")
FIELDS = ("method", "route", "status", "milliseconds", "bytes")
"""Of the line of a request: the route as it is written in the code, never the address asked for."""


class Identified(logging.Filter):
    """Gives each record the id of the request it belongs to."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        return True


def where(info: ErrorInfo) -> str:
    """Where an error came from and its type; its message may hold what a request brought."""
    kind, _, trace = info
    lines = traceback.format_tb(trace)
    return "".join([*lines, "" if kind is None else f"{kind.__module__}.{kind.__qualname__}"])


class Text(logging.Formatter):
    """A line for people."""

    def formatException(self, ei: ErrorInfo) -> str:  # noqa: N802 (the name that logging calls)
        return where(ei)


class Json(JsonFormatter):
    """An object a line for machines."""

    def formatException(self, ei: ErrorInfo) -> str:  # noqa: N802 (the name that logging calls)
        return where(ei)


def log_config(form: str) -> dict[str, Any]:
    """The standard library's configuration for our lines and the server's: standard error."""
    own = {"handlers": ["lines"], "level": "INFO", "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"identified": {"()": Identified}},
        "formatters": {
            "text": {"()": Text, "fmt": "%(asctime)s %(levelname)s %(request_id)s %(message)s"},
            "json": {
                "()": Json,
                "fmt": "%(asctime)s %(levelname)s %(name)s %(request_id)s %(message)s",
                "rename_fields": {"asctime": "time", "levelname": "level", "name": "logger"},
            },
        },
        "handlers": {
            "lines": {
                "class": "logging.StreamHandler",
                "formatter": form,
                "filters": ["identified"],
            }
        },
        "loggers": {"app": own, "uvicorn": own},
    }
