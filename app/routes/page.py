"""The page itself."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates

from app.paths import TEMPLATES_DIRECTORY

router = APIRouter(include_in_schema=False)
templates = Jinja2Templates(directory=TEMPLATES_DIRECTORY)
ENTRIES = MAIN, EMBED = "main.js", "embed.js"


@router.get("/", response_class=HTMLResponse)
def index(request: Request) -> HTMLResponse:
    """The visualiser."""
    return templates.TemplateResponse(
        request, "index.html", _files(request, MAIN) | _limits(request)
    )


@router.get("/embed", response_class=HTMLResponse)
def embed(request: Request) -> HTMLResponse:
    """The pictures alone, for an iframe; the state is in the address' fragment."""
    return templates.TemplateResponse(
        request, "embed.html", _files(request, EMBED) | _limits(request)
    )


@router.get("/docs", response_class=HTMLResponse)
async def docs(request: Request) -> HTMLResponse:
    """The OpenAPI page, from this server alone."""
    return templates.TemplateResponse(request, "docs.html")


def _limits(request: Request) -> dict[str, int]:
    """What the page keeps to before it asks."""
    settings = request.app.state.settings
    return {"most_bytes": settings.max_upload_bytes, "most_cells": settings.max_cells}


def _files(request: Request, entry: str) -> dict[str, Any]:
    """Where the page's files are, and the modules that it needs at once."""
    state = request.app.state
    return {"static": f"static/{state.files.named_version()}", "modules": state.modules[entry]}
