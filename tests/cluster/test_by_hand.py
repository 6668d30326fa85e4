"""The recipe of docs/cluster.md for SSH, or by hand: its lines as they stand, but on this machine."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from clutrr.workers import open_crew

from .conftest import answers, content, free_port, recipe, until

pytestmark = pytest.mark.process

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
NO_SSH = "needs root, and OpenSSH with its server"


def test_a_scheduler_known_by_its_file(clutrr, processes, tmp_path):
    follow(clutrr, processes, tmp_path, [])


@pytest.mark.slow
@pytest.mark.skipif(SSHD is None or shutil.which("ssh") is None or os.geteuid() != 0, reason=NO_SSH)
def test_workers_over_ssh(clutrr, processes, tmp_path):
    follow(clutrr, processes, tmp_path, ["ssh", "-F", ssh_host(processes, tmp_path), "HOST"])


def follow(clutrr, processes, tmp_path, ssh: list[object]) -> None:
    """Do what the recipe says. ssh: what takes the place of `ssh HOST`."""
    shared = tmp_path / "shared"
    shared.mkdir()
    changes = {"/shared": str(shared), "--nworkers 16": "--nworkers 2", "10000000": "300"}
    (block,) = recipe("SSH, or by hand", changes)
    scheduler, worker, command = map(shlex.split, block.splitlines())
    dask = Path(sys.executable).with_name("dask")
    assert [*scheduler[:1], *worker[:3]] == ["dask", "ssh", "HOST", "dask"]
    processes.start(dask, *scheduler[1:], "--port", 0, "--no-dashboard", "--host", "127.0.0.1")
    until((shared / "scheduler.json").exists, "a scheduler's file")
    processes.start(*(ssh or []), *([] if ssh else [dask]), *worker[2 if ssh else 3 :], "--no-dashboard")
    code, _, said = clutrr(*command[1:])
    assert code == 0, said
    assert not said or "waiting for one" in said  # where the command was faster than the workers
    with open_crew(str(shared / "scheduler.json"), None) as crew:
        until(lambda: crew.size == 2, "both workers, of one thread each")
    here = tmp_path / "here"
    arguments = [str(here) if part == f"{shared}/stories" else part for part in command[1:]]
    assert clutrr(*arguments[: arguments.index("--cluster")])[0] == 0
    assert content(here) == content(shared / "stories")


def ssh_host(processes, tmp_path) -> Path:
    """Start an SSH server, and write the settings by which `ssh` finds it as HOST. Whoever logs in there has
    the environment of these tests, and nothing else."""
    folder, port = tmp_path / "ssh", free_port()
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name],
            check=True,
            stdin=subprocess.DEVNULL,
        )
    (folder / "known").write_text(f"[127.0.0.1]:{port} {(folder / 'host.pub').read_text()}")
    path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"])
    settings = [
        f"Port {port}",
        "ListenAddress 127.0.0.1",
        f"HostKey {folder / 'host'}",
        f"AuthorizedKeysFile {folder / 'user.pub'}",
        f"PidFile {folder / 'pid'}",
        "PermitRootLogin prohibit-password",
        "PasswordAuthentication no",
        "StrictModes no",  # the keys lie where tests keep their files
        f"SetEnv PATH={path} PYTHONPATH={processes.env['PYTHONPATH']}",
    ]
    (folder / "sshd_config").write_text("\n".join(settings) + "\n")
    Path("/run/sshd").mkdir(exist_ok=True)  # the server insists on it
    processes.start(SSHD, "-D", "-f", folder / "sshd_config")
    until(lambda: answers(port), "an SSH server")
    config = folder / "config"
    config.write_text(
        f"Host HOST\n HostName 127.0.0.1\n Port {port}\n User root\n IdentityFile {folder / 'user'}\n"
        f" IdentitiesOnly yes\n UserKnownHostsFile {folder / 'known'}\n StrictHostKeyChecking yes\n"
    )
    return config
