"""The same application as a Ray Serve deployment, whose replicas come and go with the load.

``serve run app.ray_serve:application max_replicas=8``; needs ``pip install '.[ray]'``.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, PositiveFloat, PositiveInt
from ray import serve

from app.main import create_app
from app.settings import Settings


class Scale(BaseModel):
    """How many replicas there may be, and what each has."""

    min_replicas: PositiveInt = 1
    max_replicas: PositiveInt = 4
    requests_each: PositiveFloat = 2.0
    """Requests under way in a replica, on the average, above which there will be more of them."""
    cpus_each: PositiveFloat = 1.0


def application(scale: Scale) -> Any:
    """The deployment; each replica makes the application for itself, from its own environment.

    Replicas on several machines need the setting ``upload_store``. A replica refuses by itself what
    is too much for it, so Ray sends it as many requests as it has places.
    """
    settings = Settings()
    deployment = serve.deployment(
        name="attention-visualiser",
        autoscaling_config={
            "min_replicas": scale.min_replicas,
            "max_replicas": scale.max_replicas,
            "target_ongoing_requests": scale.requests_each,
        },
        max_ongoing_requests=settings.workers + settings.queue_length,
        ray_actor_options={"num_cpus": scale.cpus_each},
        health_check_timeout_s=60,
        graceful_shutdown_timeout_s=settings.stop_seconds + 5,
    )
    return deployment(serve.ingress(created)()).bind()


def created() -> Any:
    """What `create_app` makes; Ray calls a function without parameters."""
    return create_app()
