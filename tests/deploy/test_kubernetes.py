"""The manifests: valid by Kubernetes' own schemas, at one with each other and with the settings."""

from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from app.settings import Settings

MANIFESTS: list[Any] = list(
    yaml.safe_load_all((Path(__file__).parents[2] / "app/deploy/kubernetes.yaml").read_text())
)
BY_KIND: dict[str, Any] = {document["kind"]: document for document in MANIFESTS}
KEPT_FREE = 2**29
"""Of torch, the code and what no setting bounds."""


@pytest.fixture
def pod() -> Any:
    return BY_KIND["Deployment"]["spec"]["template"]


@pytest.fixture
def container(pod: Any) -> Any:
    (only,) = pod["spec"]["containers"]
    return only


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Settings:
    """As a pod reads them."""
    for name, value in BY_KIND["ConfigMap"]["data"].items():
        monkeypatch.setenv(name, value)
    return Settings()


def bytes_of(text: str) -> float:
    return float(text.removesuffix("Gi")) * 2**30


@pytest.mark.parametrize("version", ["1.29", "1.34"])
@pytest.mark.parametrize("kind", BY_KIND)
def test_every_manifest_is_valid_and_has_no_unknown_field(kind: str, version: str) -> None:
    kubernetes_validate.validate(BY_KIND[kind], version, strict=True)


def test_each_kind_stands_once_under_one_name() -> None:
    assert len(BY_KIND) == len(MANIFESTS) == 5
    assert {document["metadata"]["name"] for document in MANIFESTS} == {"attention-visualiser"}


def test_whatever_selects_pods_selects_these(pod: Any) -> None:
    labels = pod["metadata"]["labels"]
    selectors = [
        BY_KIND["Deployment"]["spec"]["selector"]["matchLabels"],
        BY_KIND["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
        BY_KIND["Service"]["spec"]["selector"],
    ]
    assert all(selector.items() <= labels.items() for selector in selectors)


def test_the_autoscaler_scales_the_deployment_and_alone_decides() -> None:
    target = BY_KIND["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]
    deployment = BY_KIND["Deployment"]
    assert target["kind"] == "Deployment"
    assert target["apiVersion"] == deployment["apiVersion"]
    assert target["name"] == deployment["metadata"]["name"]
    assert "replicas" not in deployment["spec"]


def test_service_and_probes_ask_the_port_that_the_image_listens_on(container: Any) -> None:
    dockerfile = (Path(__file__).parents[2] / "Dockerfile").read_text()
    (port,) = container["ports"]
    assert f"PORT={port['containerPort']}" in dockerfile
    (way,) = BY_KIND["Service"]["spec"]["ports"]
    probes = [container[f"{name}Probe"]["httpGet"] for name in ("startup", "readiness", "liveness")]
    assert {way["targetPort"], *(probe["port"] for probe in probes)} == {port["name"]}
    assert [probe["path"] for probe in probes] == ["/healthz", "/readyz", "/healthz"]


def test_the_user_is_the_image_s(pod: Any) -> None:
    dockerfile = (Path(__file__).parents[2] / "Dockerfile").read_text()
    context = pod["spec"]["securityContext"]
    assert f"USER {context['runAsUser']}:{context['runAsGroup']}" in dockerfile


def test_every_setting_is_one_that_the_application_has() -> None:
    names = set(BY_KIND["ConfigMap"]["data"])
    assert names <= {f"ATTENTION_{name.upper()}" for name in Settings.model_fields}


def test_pods_share_a_store_and_have_a_cache_that_may_be_written(
    settings: Settings, pod: Any, container: Any
) -> None:
    assert settings.upload_store
    (mounted,) = container["volumeMounts"]
    (volume,) = pod["spec"]["volumes"]
    assert mounted["name"] == volume["name"]
    assert settings.upload_dir is not None
    assert settings.upload_dir.is_relative_to(mounted["mountPath"])
    room = bytes_of(volume["emptyDir"]["sizeLimit"])
    assert room >= settings.upload_quota_bytes + settings.max_unpacked_bytes


def test_a_pod_has_time_to_stop(settings: Settings, pod: Any) -> None:
    grace = pod["spec"]["terminationGracePeriodSeconds"]
    assert grace > settings.drain_seconds + settings.stop_seconds + 5


def test_the_memory_of_a_pod_holds_what_the_settings_allow(
    settings: Settings, container: Any
) -> None:
    allowed = settings.memory_bytes + settings.cache_bytes + KEPT_FREE
    assert bytes_of(container["resources"]["limits"]["memory"]) >= allowed
