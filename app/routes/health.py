"""Health for containers and load balancers."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(tags=["operations"])


@router.get("/healthz", summary="The process answers")
async def healthz() -> dict[str, str]:
    """Alive."""
    return {"status": "ok"}


@router.get("/readyz", summary="The service can compute")
async def readyz() -> dict[str, str]:
    """Ready to take requests."""
    return {"status": "ready"}
