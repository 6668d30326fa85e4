"""A Slurm of one node, as real processes of this machine: munge, its controller, and the node's daemon."""

import os
import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .conftest import Processes, free_port, until

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo")
_PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
_CPUS, _MEMORY = 8, 8192  # what the node says that it has, whatever the machine has


def missing() -> str | None:
    """Why there can be no Slurm here."""
    absent = [name for name in PROGRAMS if not shutil.which(name, path=_PATH)]
    if absent:
        return f"needs Slurm and munge (Debian's slurm-wlm): no {', '.join(absent)}"
    if os.geteuid() != 0:
        return "needs root, as which slurmd runs"
    return None


@dataclass(frozen=True)
class Slurm:
    """Its files are all in one folder."""

    processes: Processes
    folder: Path

    @property
    def env(self) -> dict[str, str]:
        """What a user of it needs to know."""
        return {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": _PATH}

    def start(self) -> None:
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        (self.folder / "slurm.conf").write_text(self._conf())
        # Forced: folders of a test are closed to other users, whom munge would serve too.
        self._daemon(
            "munged", "--foreground", "--force", "--key-file", key, "--socket", self._socket,
            "--pid-file", self.folder / "munged.pid", "--seed-file", self.folder / "munged.seed",
            "--log-file", self.folder / "munged.log",
        )  # fmt: skip
        until(self._socket.exists, "munge")
        self._daemon("slurmctld", "-D", "-f", self.folder / "slurm.conf")
        self._daemon("slurmd", "-D", "-f", self.folder / "slurm.conf")
        until(lambda: self.ask("sinfo", "--noheader", "--format", "%T") == "idle", "a node of Slurm")

    def stop(self) -> None:
        """End the jobs: they are not among the processes that the daemons are killed with."""
        self.ask("scancel", "--user", "root")
        until(lambda: not self.jobs(), "the end of Slurm's jobs")

    def jobs(self) -> list[str]:
        """The state of every job that is not over."""
        return self.ask("squeue", "--noheader", "--format", "%T").split()

    def ask(self, *command: str) -> str:
        done = subprocess.run(
            command, capture_output=True, text=True, env={**self.processes.env, **self.env}, timeout=60
        )
        return done.stdout.strip()

    @property
    def _socket(self) -> Path:
        return self.folder / "munge.socket"

    def _daemon(self, name: str, *options: object) -> None:
        self.processes.start(shutil.which(name, path=_PATH), *options, **self.env)

    def _conf(self) -> str:
        """Nothing of the machine is needed or changed: no cgroups, accounts, mail or users of its own."""
        host = socket.gethostname().partition(".")[0]
        return (
            "\n".join(
                f"{name}={value}"
                for name, value in {
                    "ClusterName": "test",
                    "SlurmctldHost": f"{host}(127.0.0.1)",
                    "SlurmctldPort": free_port(),
                    "SlurmdPort": free_port(),
                    "SlurmUser": "root",
                    "AuthType": "auth/munge",
                    "AuthInfo": f"socket={self._socket}",
                    "CredType": "cred/munge",
                    "StateSaveLocation": self.folder / "state",
                    "SlurmdSpoolDir": self.folder / "spool",
                    "SlurmctldPidFile": self.folder / "slurmctld.pid",
                    "SlurmdPidFile": self.folder / "slurmd.pid",
                    "ProctrackType": "proctrack/linuxproc",
                    "TaskPlugin": "task/none",
                    "JobAcctGatherType": "jobacct_gather/none",
                    "AccountingStorageType": "accounting_storage/none",
                    "MailProg": "/bin/true",
                    "MpiDefault": "none",
                    "SelectType": "select/cons_tres",
                    "SelectTypeParameters": "CR_CPU_Memory",
                    "SlurmdParameters": "config_overrides",
                    "ReturnToService": 2,
                    "KillWait": 5,
                    "NodeName": f"{host} NodeAddr=127.0.0.1 CPUs={_CPUS} RealMemory={_MEMORY} State=UNKNOWN",
                    "PartitionName": "all Nodes=ALL Default=YES MaxTime=INFINITE State=UP",
                }.items()
            )
            + "\n"
        )
