"""Health for containers and load balancers."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from starlette.concurrency import run_in_threadpool

from app.openapi import problems
from app.operations.metrics import Metrics
from app.places import Places, busy
from app.routes.dependencies import SettingsDep
from app.uploads import Store

router = APIRouter(tags=["operations"])


@router.get("/healthz", summary="The process answers")
async def healthz() -> dict[str, str]:
    """Alive."""
    return {"status": "ok"}


@router.get("/readyz", summary="The service can compute", responses=problems(503))
async def readyz(request: Request) -> dict[str, str]:
    """Ready to take requests; 503 once it is told to stop."""
    places: Places = request.app.state.places
    if places.draining:
        raise busy("the server is stopping", places.retry_after())
    return {"status": "ready"}


@router.get(
    "/metrics",
    summary="Numbers of operation, as Prometheus reads them",
    response_class=PlainTextResponse,
)
async def metrics(request: Request, settings: SettingsDep) -> Response:
    """Requests and their seconds by route, what runs and waits, memory, cache and uploads."""
    found: Metrics = request.app.state.metrics
    text = await run_in_threadpool(lambda: found.written(Store(settings).stored_bytes()))
    return Response(text, media_type=CONTENT_TYPE_PLAIN_0_0_4)
