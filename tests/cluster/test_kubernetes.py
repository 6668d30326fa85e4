"""The Kubernetes recipe of docs/cluster.md, as far as it goes without Kubernetes: what it asks for is valid,
and what the pods run works on this machine."""

import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import answers, content, free_port, recipe, until

operator = pytest.importorskip("dask_kubernetes.operator", reason="needs dask-kubernetes")

pytestmark = pytest.mark.process

_CRD = "deployment/helm/dask-kubernetes-operator/crds/daskcluster.yaml"


@pytest.fixture
def asked(monkeypatch) -> dict[str, Any]:
    """What the recipe asks Kubernetes for."""
    given = []

    class Cluster:
        scheduler_address = "tcp://localhost:1"

        def __init__(self, custom_cluster_spec: dict[str, Any]) -> None:
            given.append(custom_cluster_spec)

    monkeypatch.setattr(operator, "KubeCluster", Cluster)
    monkeypatch.setattr("builtins.input", lambda said: "")
    script, _ = recipe("Kubernetes", {})
    exec(script, {"__name__": "__main__"})
    (spec,) = given
    return spec


def test_what_is_asked_for_is_valid(asked):
    jsonschema = pytest.importorskip("jsonschema")
    definition = yaml.safe_load((Path(operator.__file__).parent / _CRD).read_text())
    (version,) = definition["spec"]["versions"]
    jsonschema.Draft202012Validator(version["schema"]["openAPIV3Schema"]).validate(asked)
    assert asked["apiVersion"] == f"{definition['spec']['group']}/{version['name']}"
    assert asked["spec"]["worker"]["replicas"] == 100
    for part in ("scheduler", "worker"):
        (container,) = asked["spec"][part]["spec"]["containers"]
        env = {one["name"]: one for one in container["env"]}
        assert env["AWS_ENDPOINT_URL"]["value"] == "https://storage"
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            assert "value" not in env[name]  # keys stand in a secret, not here
            assert env[name]["valueFrom"]["secretKeyRef"] == {"name": "storage", "key": name}


def test_what_the_pods_run(asked, clutrr, processes, tmp_path):
    """The scheduler answers Kubernetes' question whether it is well, and a worker does the work."""
    scheduler, worker = (
        asked["spec"][part]["spec"]["containers"][0]["args"] for part in ("scheduler", "worker")
    )
    port, health = free_port(), free_port()
    processes.start(*scheduler, "--port", port, "--dashboard-address", f":{health}")
    until(lambda: answers(port) and answers(health), "a scheduler")
    probe = asked["spec"]["scheduler"]["spec"]["containers"][0]["livenessProbe"]["httpGet"]["path"]
    with urllib.request.urlopen(f"http://127.0.0.1:{health}{probe}", timeout=60) as answer:
        assert answer.status == 200
    named = [part.replace("$(DASK_WORKER_NAME)", "a-pod").replace("8788", "0") for part in worker]
    processes.start(*named, DASK_SCHEDULER_ADDRESS=f"tcp://127.0.0.1:{port}")
    _, line = recipe("Kubernetes", {"s3://bucket": str(tmp_path), "100000000": "300"})
    command = line.split()
    command[command.index("--cluster") + 1] = f"tcp://127.0.0.1:{port}"
    code, _, said = clutrr(*command[1:])
    assert code == 0, said
    assert clutrr("generate", tmp_path / "here", *command[3 : command.index("--cluster")])[0] == 0
    assert content(tmp_path / "here") == content(tmp_path / "stories")
