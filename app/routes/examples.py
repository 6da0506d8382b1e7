"""``GET /api/examples``: named ready specifications."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from app.examples import EXAMPLES
from app.long_examples import LONG_EXAMPLES

router = APIRouter(prefix="/api", tags=["attention"])


class View(BaseModel):
    """Where to look first."""

    batch: int = 0


class Example(BaseModel):
    """A specification worth seeing, and why."""

    name: str
    title: str
    description: str
    spec: dict[str, Any]
    view: View = View()


class Examples(BaseModel):
    """All examples, in the order of the menu."""

    examples: list[Example]


@router.get("/examples", summary="Named ready specifications")
async def examples() -> Examples:
    """The hand-worked case first; each `spec` is a body, and `view` says where to look."""
    return Examples(examples=[Example(**example) for example in EXAMPLES + LONG_EXAMPLES])
