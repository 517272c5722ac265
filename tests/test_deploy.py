"""compose.yaml and the manifests of Kubernetes against what is there: settings, commands, ports, and each
other."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from shisho import settings as settings_
from shisho.interfaces.cli.app import app
from shisho.settings import SECRET_FILE, TABLE
from shisho.web.engines import create_engines
from tests.shared import missing

ROOT = Path(__file__).parent.parent
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
KUBERNETES = ROOT / "deploy" / "kubernetes"
OURS = ("migrate", "server-1", "server-2", "worker")
SECRETS = {f"SHISHO_{row.name.upper()}" for row in TABLE if row.secret}
NAMES = {f"SHISHO_{row.name.upper()}" for row in TABLE} | {f"{name}{SECRET_FILE}" for name in SECRETS}


def manifests() -> list[dict[str, Any]]:
    pages = sorted(KUBERNETES.glob("*.yaml"))
    return [part for page in pages for part in yaml.safe_load_all(page.read_text("utf-8")) if part]


def pods() -> Iterator[tuple[str, dict[str, Any]]]:
    for manifest in manifests():
        if manifest["kind"] in ("Deployment", "Job"):
            yield manifest["metadata"]["name"], manifest["spec"]["template"]["spec"]


def check_command(words: list[str]) -> None:
    """The command and its options are those of `shisho`."""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert words[0] in commands
    options = {option for parameter in commands[words[0]].params for option in parameter.opts}
    assert {word for word in words if word.startswith("-")} <= options


def test_compose_starts_two_servers_three_workers_one_database_and_searxng() -> None:
    services = COMPOSE["services"]
    assert {"postgres", "searxng", "proxy", *OURS} == set(services)
    assert services["worker"]["deploy"]["replicas"] == 3
    assert "pgvector" in services["postgres"]["image"]
    for name in OURS:
        check_command(services[name].get("command", ["serve", "--host", "0.0.0.0"]))


def test_what_a_service_names_is_there() -> None:
    services = COMPOSE["services"]
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
        assert set(service.get("secrets", ())) <= set(COMPOSE["secrets"])
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert source in COMPOSE["volumes"] or (ROOT / source).is_file(), volume


def test_settings_are_ours_and_secrets_come_from_files() -> None:
    given = {name for service in OURS for name in COMPOSE["services"][service]["environment"]}
    given |= {name for manifest in manifests() for name in manifest.get("data", ())}
    assert given <= NAMES
    assert not given & SECRETS
    assert {"SHISHO_STORE_FILE", "SHISHO_TOKEN_FILE"} <= given


def test_the_proxy_stands_before_both_servers_and_lets_a_poll_wait() -> None:
    text = (ROOT / "deploy" / "compose" / "Caddyfile").read_text("utf-8")
    (targets,) = re.findall(r"to \{\$SHISHO_SERVERS:(.*)\}", text)
    assert targets.split() == ["server-1:8765", "server-2:8765"]
    (seconds,) = re.findall(r"response_header_timeout (\d+)s", text)
    assert int(seconds) > settings_.load().read_float("max_seconds") and "flush_interval -1" in text
    assert "health_uri /readyz" in text
    hosts = COMPOSE["services"]["server-1"]["environment"]["SHISHO_ALLOWED_HOSTS"].split(",")
    assert {"server-1", "server-2"} <= set(hosts), "the proxy's own question after health names them"


def test_its_searxng_is_an_engine_of_ours_and_answers_as_json(tmp_path: Path) -> None:
    folder = ROOT / "deploy" / "compose"
    overrides = tomllib.loads((folder / "engines.toml").read_text("utf-8"))
    about = create_engines(overrides)["searxng"].about
    assert about.enabled and about.site == "http://searxng:8080"
    searxng = yaml.safe_load((folder / "searxng.yml").read_text("utf-8"))
    assert "json" in searxng["search"]["formats"] and searxng["server"]["port"] == 8080
    environment = COMPOSE["services"]["worker"]["environment"]
    assert environment["SHISHO_ALLOW_PRIVATE_HOSTS"] == "searxng:8080"
    assert environment["SHISHO_ALLOW_PORTS"] == "8080"


def test_compose_itself_takes_the_file() -> None:
    program = shutil.which("docker-compose")
    if program is None:
        missing("docker-compose is missing: .ci/tools installs it")
    command = [program, "--file", str(ROOT / "compose.yaml"), "config"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    assert set(yaml.safe_load(result.stdout)["services"]) == set(COMPOSE["services"])


@pytest.mark.parametrize(("name", "pod"), list(pods()), ids=[name for name, _ in pods()])
def test_a_pod_has_no_rights_and_its_needs_are_named(name: str, pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]
    check_command(container["args"])
    assert pod["securityContext"]["runAsNonRoot"] and not pod["automountServiceAccountToken"]
    rights = container["securityContext"]
    assert rights["readOnlyRootFilesystem"] and not rights["allowPrivilegeEscalation"]
    assert {"cpu", "memory"} <= set(container["resources"]["requests"])
    assert "memory" in container["resources"]["limits"]
    mounts = {mount["name"] for mount in container["volumeMounts"]}
    assert mounts == {volume["name"] for volume in pod["volumes"]}
    if name != "shisho-migrate":
        (port,) = container["ports"]
        for probe, path in (("livenessProbe", "/livez"), ("readinessProbe", "/readyz")):
            assert container[probe]["httpGet"] == {"path": path, "port": port["name"]}


def test_each_deployment_has_a_budget_for_disruptions_and_a_scaler() -> None:
    names = {(part["kind"], part["metadata"]["name"]) for part in manifests() if "metadata" in part}
    deployments = [name for kind, name in names if kind == "Deployment"]
    assert sorted(deployments) == ["shisho-server", "shisho-worker"]
    for name in deployments:
        assert {("PodDisruptionBudget", name), ("HorizontalPodAutoscaler", name)} <= names
    (kustomization,) = [part for part in manifests() if part["kind"] == "Kustomization"]
    others = {page.name for page in KUBERNETES.glob("*.yaml")} - {"kustomization.yaml"}
    assert set(kustomization["resources"]) == others


def test_a_selector_finds_its_pods() -> None:
    labels = {
        name: part["spec"]["template"]["metadata"]["labels"]
        for part in manifests()
        if part["kind"] == "Deployment"
        for name in [part["metadata"]["name"]]
    }
    for part in manifests():
        if part["kind"] in ("Deployment", "PodDisruptionBudget"):
            selector = part["spec"]["selector"]["matchLabels"]
            assert selector == labels[part["metadata"]["name"]]
        if part["kind"] == "Service":
            assert part["spec"]["selector"] == labels["shisho-server"]


@pytest.mark.parametrize("page", ["docs/howto/scale.md", "docs/howto/scale.ja.md"])
def test_howto_makes_the_secrets_that_compose_reads(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for secret in COMPOSE["secrets"].values():
        assert secret["file"].removeprefix("./") in text
    assert "docker compose up" in text and "kubectl apply -k deploy/kubernetes" in text
