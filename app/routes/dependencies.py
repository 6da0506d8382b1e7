"""What handlers are given: the settings, the bounded body, the pool that computes.

All are coroutines, though none waits: a plain function would have a thread of its own each time.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request

from app.answer import DEFAULT, ON_REQUEST
from app.body import bounded_body
from app.encode import Encoding
from app.kept import Kept
from app.language_models import LanguageModels
from app.settings import Settings
from app.waiting import ClientPool
from attention import SpecificationError, say


async def current_settings(request: Request) -> Settings:
    """The settings of this app."""
    settings: Settings = request.app.state.settings
    return settings


async def client_pool(request: Request) -> ClientPool:
    """The pool of this app, for as long as this request's client waits."""
    return ClientPool(request.app.state.pool, request)


async def current_kept(request: Request) -> Kept:
    """The specifications that this app has ready."""
    kept: Kept = request.app.state.kept
    return kept


async def current_models(request: Request) -> LanguageModels:
    """The language models of this app."""
    models: LanguageModels = request.app.state.models
    return models


async def known_queries(request: Request) -> None:
    """Refuse query parameters that the route does not have, as unknown fields of a body are."""
    known = [field.alias for field in request.scope["route"].dependant.query_params]
    for name in request.query_params:
        if name not in known:
            raise SpecificationError(
                f"{say(name)} is not a known query parameter",
                loc=(name,),
                expected=f"one of {', '.join(known)}" if known else "none",
                got=name,
            )


BodyDep = Annotated[bytes, Depends(bounded_body)]
SettingsDep = Annotated[Settings, Depends(current_settings)]
PoolDep = Annotated[ClientPool, Depends(client_pool)]
ModelsDep = Annotated[LanguageModels, Depends(current_models)]
KeptDep = Annotated[Kept, Depends(current_kept)]
EncodingQuery = Annotated[
    Encoding, Query(description="nested lists, or base64 typed arrays in Plotly's form")
]

IncludeQuery = Annotated[
    str | None,
    Query(
        description=f"comma-separated tensors of: {', '.join(DEFAULT + ON_REQUEST)}",
        examples=["scores,weights"],
    ),
]
