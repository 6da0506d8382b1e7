"""The page itself."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates

from app.paths import TEMPLATES_DIRECTORY
from app.static import modules

router = APIRouter(include_in_schema=False)
templates = Jinja2Templates(directory=TEMPLATES_DIRECTORY)


@router.get("/", response_class=HTMLResponse)
async def index(request: Request) -> HTMLResponse:
    """The visualiser."""
    return templates.TemplateResponse(request, "index.html", {"modules": modules("main.js")})


@router.get("/embed", response_class=HTMLResponse)
async def embed(request: Request) -> HTMLResponse:
    """The pictures alone, for an iframe; the state is in the address' fragment."""
    return templates.TemplateResponse(request, "embed.html", {"modules": modules("embed.js")})


@router.get("/docs", response_class=HTMLResponse)
async def docs(request: Request) -> HTMLResponse:
    """The OpenAPI page, from this server alone."""
    return templates.TemplateResponse(request, "docs.html")
