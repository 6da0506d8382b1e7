"""``/api/models``: text through a language model that the operator allows."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from threading import Event
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Depends
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel

from app.compute import use_all_threads, validated
from app.language_models import HOW, LanguageModels
from app.limits import within
from app.openapi import body_examples, computing
from app.places import LeftError
from app.problems import ProblemError, from_attention, problem_body
from app.routes.dependencies import BodyDep, ModelsDep, PoolDep, SettingsDep
from app.schemas.requests import RunTextBody
from app.settings import Settings
from app.uploads import Store
from app.uploads.store import storing
from app.waiting import alive
from attention import AttentionError

router = APIRouter(prefix="/api", tags=["models"])
log = logging.getLogger("app")
Say: TypeAlias = Callable[[str, dict[str, Any]], None]
FINAL = ("done", "problem")
EXAMPLE = {"model": "small", "text": ["the cat sat on the mat", "the cat"], "layers": [0, 2]}


class ListedModel(BaseModel):
    """A model that may be run by its name; `reason` says why it cannot be at the moment."""

    name: str
    available: bool
    reason: str | None


class ModelsAnswer(BaseModel):
    """The models, and how the operator allows them where there are none."""

    models: list[ListedModel]
    how: str | None


@dataclass(frozen=True)
class Plan:
    """A run that was checked as far as it can be without its model."""

    request: RunTextBody
    models: LanguageModels
    settings: Settings


@router.get("/models", summary="The language models that may be run")
async def listed(pool: PoolDep, models: ModelsDep) -> ModelsAnswer:
    """Their names; where they lie is the server's matter alone."""
    return await pool.run(_listed, models)


def _listed(models: LanguageModels) -> ModelsAnswer:
    found = [(name, models.why_not(name)) for name in models.names]
    return ModelsAnswer(
        models=[ListedModel(name=n, available=why is None, reason=why) for n, why in found],
        how=None if found else HOW,
    )


async def planned(body: BodyDep, pool: PoolDep, settings: SettingsDep, models: ModelsDep) -> Plan:
    """What is asked for; a refusal comes before the stream."""
    return await pool.run(_plan, body, settings, models)


def _plan(body: bytes, settings: Settings, models: LanguageModels) -> Plan:
    request = validated(RunTextBody, body, settings)
    models.check(request.model)
    within(len(request.text), "max_run_texts", "texts", "text", settings)
    characters = sum(map(len, request.text))
    within(characters, "max_run_characters", "characters of all texts", "text", settings)
    return Plan(request, models, settings)


@router.post(
    "/models/run",
    response_class=EventSourceResponse,
    **computing(
        RunTextBody,
        "Run text through a model and keep each layer's attention as an upload",
        body_examples("layers", "Two layers of a model", EXAMPLE),
        {
            "description": "the events `progress` {done, of}, then `done` with the answer of an"
            " upload, or `problem` with a problem body",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
    ),
)
async def run(plan: Annotated[Plan, Depends(planned)]) -> AsyncIterator[ServerSentEvent]:
    """The upload has `calls`: one specification for each layer, with the tokens as labels.

    Closing the connection stops the run between layers.
    """
    loop, events, gone = asyncio.get_running_loop(), asyncio.Queue[ServerSentEvent](), Event()

    def say(name: str, data: dict[str, Any]) -> None:
        loop.call_soon_threadsafe(events.put_nowait, ServerSentEvent(event=name, data=data))

    def ended(task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if isinstance(error, ProblemError):  # the deadline, before its turn or in it
            say("problem", problem_body(error))

    task = asyncio.create_task(plan.models.pool.run(_run, plan, say, gone))
    task.add_done_callback(ended)
    try:
        while True:
            event = await events.get()
            yield event
            if event.event in FINAL:
                return
    finally:
        gone.set()
        task.cancel()  # where it still waits for its turn


def _run(plan: Plan, say: Say, gone: Event) -> None:
    """Everything in one turn, each end told as an event."""
    try:
        say("done", _kept(plan, say, gone))
    except LeftError:
        return
    except AttentionError as error:
        say("problem", problem_body(from_attention(error)))
    except ProblemError as error:
        say("problem", problem_body(error))
    except Exception as error:
        log.exception("unexpected error", exc_info=error)
        say("problem", problem_body(ProblemError(500, "an error of ours; it has been logged")))


def _kept(plan: Plan, say: Say, gone: Event) -> dict[str, Any]:
    def progress(done: int, of: int) -> None:
        if gone.is_set():
            raise LeftError
        alive()
        say("progress", {"done": done, "of": of})

    request = plan.request
    use_all_threads()
    model = plan.models.load(request.model)
    progress(0, model.num_layers)
    encoded = model.encode(request.text)
    tokens = encoded.ids.numel()
    within(tokens, "max_run_tokens", "tokens of all texts, padded", "text", plan.settings)
    with storing():
        calls = model.run(encoded, layers=request.layers, progress=progress)
    return Store(plan.settings).keep_run(calls, request.model).answer
