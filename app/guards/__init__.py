"""What every request passes before a route sees it, outermost first."""

from __future__ import annotations

from fastapi import FastAPI, Response
from starlette.middleware.cors import CORSMiddleware

from app.guards.admission import Admission
from app.guards.faults import Faults
from app.guards.headers import SafeHeaders
from app.guards.heads import ShortHeads
from app.guards.hosts import KnownHosts
from app.guards.secret import Secret
from app.guards.sites import OwnSite
from app.places import LeftError, Places
from app.settings import Settings

CLIENT_LEFT = 499
"""As nginx logs it; nobody is there to read it."""


def install(app: FastAPI, settings: Settings, places: Places) -> None:
    """Add the guards that the settings ask for; the last one added is met first."""
    app.add_exception_handler(LeftError, lambda request, error: Response(status_code=CLIENT_LEFT))
    app.add_middleware(Admission, places=places)
    app.add_middleware(Faults)
    if settings.token is not None:
        app.add_middleware(Secret, token=settings.token.get_secret_value())
    app.add_middleware(OwnSite, allowed=settings.allowed_origins)
    if settings.allowed_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.allowed_origins,
            allow_methods=["GET", "POST"],
            allow_headers=["authorization", "content-type", "accept", "x-request-id"],
            expose_headers=["retry-after", "x-request-id", "content-disposition"],
        )
    app.add_middleware(ShortHeads)
    if settings.allowed_hosts:
        app.add_middleware(KnownHosts, allowed=settings.allowed_hosts)
    app.add_middleware(
        SafeHeaders, page_frames=settings.page_frames, embed_frames=settings.embed_frames
    )
