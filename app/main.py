"""The application: settings in, an ASGI app out; nothing happens at import."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI

from app import __version__, guards, openapi, problems
from app.compression import CompressedAnswers
from app.kept import Kept
from app.language_models import LanguageModels
from app.operations.draining import Draining
from app.operations.metrics import Metrics
from app.operations.requests import Observed
from app.paths import STATIC_DIRECTORY
from app.places import Places
from app.pool import Pool
from app.routes import (
    attention,
    check,
    code,
    compare,
    costs,
    decode,
    describe,
    examples,
    export,
    health,
    inspect,
    lesson,
    mistakes,
    models,
    page,
    readings,
    rows,
    stability,
    uploads,
    view,
)
from app.routes.dependencies import known_queries
from app.settings import Settings
from app.static import CompressedFiles, modules

DESCRIPTION = """\
See exactly what attention computes. Every computing route takes the same *specification*;
`{"x": [[1,0],[0,1]], "num_heads": 1}` is a small one. Errors are problem bodies (RFC 9457) that
name the field, the rule, what was expected and what was given.
"""


SWITCH_SECONDS = 0.0005
"""How soon the event loop has its turn beside threads that compute; each answer takes several."""


def create_app(settings: Settings | None = None) -> FastAPI:
    """Build the application."""
    app = FastAPI(
        title="Attention visualiser",
        version=__version__,
        description=DESCRIPTION,
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.settings = settings or Settings()
    app.state.places = Places(app.state.settings)
    app.state.pool = Pool(app.state.settings.workers)
    app.state.kept = Kept(app.state.settings.cache_bytes)
    app.state.models = LanguageModels(app.state.settings)
    app.state.metrics = Metrics(app.state.places, app.state.kept)
    app.state.files = CompressedFiles(directory=STATIC_DIRECTORY)
    app.state.modules = {entry: modules(entry) for entry in page.ENTRIES}
    app.add_middleware(CompressedAnswers, pool=app.state.pool)
    guards.install(app, app.state.settings, app.state.places)
    app.add_middleware(Observed, metrics=app.state.metrics)
    problems.install(app)
    openapi.install(app)
    computing = (
        attention,
        describe,
        view,
        rows,
        inspect,
        compare,
        check,
        mistakes,
        decode,
        costs,
        code,
        lesson,
        stability,
        readings,
        export,
    )
    for routes in (*computing, uploads, models, examples):
        app.include_router(routes.router, dependencies=[Depends(known_queries)])
    for routes in (health, page):
        app.include_router(routes.router)
    app.mount("/static", app.state.files, name="static")
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    sys.setswitchinterval(SWITCH_SECONDS)
    with Draining(app.state.places, app.state.settings).watched():
        yield
    app.state.pool.close()
    app.state.metrics.close()
