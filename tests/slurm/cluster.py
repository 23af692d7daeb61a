"""A private Slurm on loopback: virtual nodes of this machine, with fake GPUs, that tests may break from outside.

Debian's packages slurm-wlm and munge are needed; with accounting also slurmdbd, slurm-wlm-mysql-plugin and
mariadb-server. Every daemon is started here and ended here, by its process id.
"""

import getpass
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.slurm.configuration import ACCOUNTING, SLURM_CONF, SLURMDBD_CONF

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch")
NEEDED_FOR_ACCOUNTING = ("slurmdbd", "mariadbd", "mariadb-install-db")
PATIENCE = 600  # seconds, against hanging
MESSAGE_TIMEOUT = 20  # seconds that clients try to reach the controller
SYSTEM_PATH = "/usr/sbin:/usr/local/sbin:/sbin"


@contextmanager
def started(folder: Path, *, accounting: bool, **options: Any) -> Iterator["Cluster"]:
    """A cluster that runs as long as the block; tests are skipped where there is no Slurm."""
    if reason := missing(accounting):
        pytest.skip(reason)
    cluster = Cluster(folder / "cluster", accounting=accounting, **options)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


def missing(accounting: bool) -> str:
    """Why no cluster can be started here, or nothing."""
    path = f"{os.environ['PATH']}:{SYSTEM_PATH}"
    wanted = NEEDED + (NEEDED_FOR_ACCOUNTING if accounting else ())
    absent = [name for name in wanted if not shutil.which(name, path=path)]
    return f"no Slurm on this machine: {', '.join(absent)} not found" if absent else ""


@dataclass
class Cluster:
    """A Slurm cluster of virtual nodes n1, n2, ... with its files in `home`."""

    home: Path
    accounting: bool = True
    nodes: int = 3
    min_job_age: int = 300  # seconds that ended jobs stay known to squeue
    preempt_mode: str = "REQUEUE"
    environment: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        for name in ("etc", "log", "pids", "state", "munge", "dev", "mysql", "tmp"):
            (self.home / name).mkdir(parents=True)
        self.home.chmod(0o755)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
        path = f"{os.environ['PATH']}:{SYSTEM_PATH}"
        self.environment = kept | {"SLURM_CONF": str(self.conf), "PATH": path}
        self._configure()

    @property
    def conf(self) -> Path:
        return self.home / "etc" / "slurm.conf"

    @property
    def daemons(self) -> tuple[str, ...]:
        """The names of all daemons, those that need others first."""
        nodes = (f"slurmd.n{number}" for number in range(1, self.nodes + 1))
        return (*nodes, "slurmctld", "slurmdbd", "mariadbd", "munged")

    def start(self) -> None:
        """Start all daemons and wait until every node is idle."""
        self.start_munge()
        if self.accounting:
            self.start_database()
            self.start_accounting()
            self.run("sacctmgr", "-i", "add", "cluster", "tests", check=False)
            self.run("sacctmgr", "-i", "add", "account", "lab", "Description=lab", "Organization=lab")
            self.run("sacctmgr", "-i", "add", "user", getpass.getuser(), "Account=lab", "DefaultAccount=lab")
        self.start_controller("-c")
        for number in range(1, self.nodes + 1):
            self.start_node(f"n{number}")
        self.until(lambda: self.idle() == self.nodes, "all nodes are idle")

    def stop(self) -> None:
        """End every daemon that was started here."""
        with suppress(subprocess.TimeoutExpired):  # the controller may be down
            self.run("scancel", "-u", getpass.getuser(), check=False, timeout=10)
        for name in self.daemons:
            self.end(name)

    def run(self, *command: str, check: bool = True, timeout: int = PATIENCE) -> str:
        """The output of a command in the cluster's environment."""
        done = subprocess.run(
            command,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=timeout,
        )
        assert not check or done.returncode == 0, f"{' '.join(command)}: {done.stdout}"
        return done.stdout

    def until(self, holds: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
        """Wait until something holds; an AssertionError says what did not come about."""
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, f"waited {seconds} s, in vain: {what}\n{self.state()}"
            time.sleep(0.1)

    def state(self) -> str:
        """What the cluster says of nodes and jobs, for messages."""
        return self.run("sinfo", "-N", check=False) + self.run("squeue", "--states=all", check=False)

    def idle(self) -> int:
        """How many nodes are idle."""
        found = self.run("sinfo", "-h", "-N", "-o", "%N %t", check=False).splitlines()
        return len({line for line in found if line.endswith(" idle")})

    def jobs(self, *states: str) -> list[dict[str, str]]:
        """Jobs that the controller knows, oldest first, each as `names` below and `rule`, the name of its rule.

        There are none without a controller, for which squeue would wait.
        """
        if not self.has("slurmctld"):
            return []
        names = ("id", "state", "comment", "nodes", "reason", "mem", "partition")
        wanted = ("-t", ",".join(states)) if states else ("--states=all",)
        output = self.run("squeue", "-h", "-S", "i", *wanted, "-o", "%i|%T|%k|%N|%r|%m|%P", check=False)
        rows = [line.split("|") for line in output.splitlines() if line.count("|") == len(names) - 1]
        jobs = [dict(zip(names, row, strict=True)) for row in rows]
        for job in jobs:
            job["rule"] = job["comment"].removeprefix("rule_").split("_wildcards_")[0]
        return jobs

    def job(
        self, rule: str, *states: str, seconds: float = PATIENCE, but: Container[str] = ()
    ) -> dict[str, str]:
        """Wait for a job of a rule in one of the states (RUNNING unless told), but not these; give the newest."""
        found: list[dict[str, str]] = []

        def there() -> bool:
            jobs = self.jobs(*(states or ("RUNNING",)))
            found[:] = [job for job in jobs if job["rule"] == rule and job["id"] not in but]
            return bool(found)

        self.until(there, f"a job of {rule} in state {states or 'RUNNING'}", seconds)
        return found[-1]

    # The daemons, each by itself, for tests that take one away.

    def start_munge(self) -> None:
        key = self.home / "munge" / "key"
        if not key.exists():
            key.write_bytes(os.urandom(1024))
            key.chmod(0o400)
        files = {"key-file": "munge/key", "socket": "munge/socket", "seed-file": "munge/seed"}
        files |= {"pid-file": "pids/munged", "log-file": "log/munged.log"}
        self.run("munged", "--force", *(f"--{name}={self.home}/{file}" for name, file in files.items()))

    def start_database(self) -> None:
        socket_file, user = self.home / "mysql.socket", getpass.getuser()
        # A folder of its own for temporary tables: a server that starts removes those of others in its own.
        data = (f"--datadir={self.home}/mysql", f"--tmpdir={self.home}/tmp")
        if not (self.home / "mysql" / "mysql").exists():
            options = (f"--user={user}", *data, "--auth-root-authentication-method=normal", "--skip-test-db")
            self.run("mariadb-install-db", "--no-defaults", *options)
        self._spawn(
            "mariadbd",
            *("--no-defaults", f"--user={user}", *data, f"--socket={socket_file}"),
            *(
                "--bind-address=127.0.0.1",
                f"--port={self.ports[2]}",
                "--skip-grant-tables",
                "--skip-name-resolve",
            ),
            *("--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M"),
            "--innodb-lock-wait-timeout=900",
        )
        ping = ("mariadb-admin", "--no-defaults", "-S", str(socket_file), "ping")
        self.until(lambda: "alive" in self.run(*ping, check=False), "the database answers")

    def start_accounting(self) -> None:
        self._spawn("slurmdbd", "-D")
        self.until(
            lambda: "error" not in self.run("sacctmgr", "-n", "show", "cluster", check=False), "slurmdbd"
        )

    def start_controller(self, *options: str) -> None:
        self._have_clients_wait(MESSAGE_TIMEOUT)
        self.run("slurmctld", "-f", str(self.conf), *options)
        self.until(lambda: "UP" in self.run("scontrol", "ping", check=False), "slurmctld answers")

    def forget_all(self) -> None:
        """Start the controller without what it knew: no job is known any more, and ids go on elsewhere."""
        self.end("slurmctld")
        with self.conf.open("a") as file:
            file.write("FirstJobId=1000\n")
        self.start_controller("-c")
        self.until(lambda: self.idle() == self.nodes, "all nodes are idle")

    def start_node(self, name: str, *within: str) -> None:
        """Start a node's daemon, by a command before it if one is given (`unshare`, say)."""
        self.run(*within, "slurmd", "-f", str(self.conf), "-N", name)

    def restart_node(self, name: str, *within: str) -> None:
        """End a node's daemon, if it runs, start it as `start_node` does, and wait until all nodes are idle."""
        self.end(f"slurmd.{name}")
        self.start_node(name, *within)
        self.until(lambda: self.idle() == self.nodes, "all nodes are idle")

    def has(self, name: str) -> bool:
        """Whether a daemon has been started, and not been ended here since."""
        return (self.home / "pids" / name).exists()

    def end(self, name: str, how: int = signal.SIGTERM) -> None:
        """End a daemon (munged, mariadbd, slurmdbd, slurmctld, slurmd.n1, ...), if it runs, and await its end."""
        if not self.has(name):
            return
        file = self.home / "pids" / name
        if name == "slurmctld":
            self._have_clients_wait(1)
        pid = int(file.read_text())
        for signal_number, patience in ((how, 10), (signal.SIGKILL, 10)):
            if alive(pid):
                os.kill(pid, signal_number)
            end = time.monotonic() + patience
            while alive(pid) and time.monotonic() < end:
                time.sleep(0.05)
        file.unlink(missing_ok=True)

    @contextmanager
    def without(self, name: str) -> Iterator[None]:
        """The cluster without slurmctld or slurmdbd, which is started again at the end."""
        start = {"slurmctld": self.start_controller, "slurmdbd": self.start_accounting}[name]
        self.end(name)
        try:
            yield
        finally:
            start()

    def _have_clients_wait(self, seconds: int) -> None:
        """How long clients that start from now on try to reach the controller: not long while there is none."""
        text = re.sub(r"(?m)^MessageTimeout=.*", f"MessageTimeout={seconds}", self.conf.read_text())
        new = self.conf.with_suffix(".new")
        new.write_text(text)
        new.replace(self.conf)

    def _spawn(self, name: str, *options: str) -> None:
        """Start a daemon that stays in the foreground."""
        with (self.home / "log" / f"{name}.out").open("ab") as log:
            process = subprocess.Popen(
                [name, *options], env=self.environment, stdout=log, stderr=log, start_new_session=True
            )
        self._children.append(process)
        (self.home / "pids" / name).write_text(f"{process.pid}\n")

    def _configure(self) -> None:
        self._children: list[subprocess.Popen[bytes]] = []
        self.ports = free_ports(3 + self.nodes)
        given = {
            "home": self.home,
            "host": socket.gethostname().split(".")[0],
            "user": getpass.getuser(),
            "nodes": self.nodes,
            "ports": self.ports,
            "node_ports": ",".join(map(str, self.ports[3:])),
            "min_job_age": self.min_job_age,
            "preempt_mode": self.preempt_mode,
            "message_timeout": MESSAGE_TIMEOUT,
        }
        accounting = (
            ACCOUNTING.format(**given) if self.accounting else "AccountingStorageType=accounting_storage/none"
        )
        etc = self.conf.parent
        self.conf.write_text(SLURM_CONF.format(**given, accounting=accounting))
        (etc / "cgroup.conf").write_text("CgroupAutomount=no\n")
        for number in range(2):
            (self.home / "dev" / f"nvidia{number}").symlink_to("/dev/null")
        devices = f"File={self.home}/dev/nvidia[0-1] Flags=nvidia_gpu_env"
        (etc / "gres.conf").write_text(f"AutoDetect=off\nName=gpu Type=fake {devices}\n")
        database = etc / "slurmdbd.conf"
        database.write_text(SLURMDBD_CONF.format(**given))
        database.chmod(0o600)
        for number in range(1, self.nodes + 1):
            (self.home / "spool" / f"n{number}").mkdir(parents=True)


def alive(pid: int) -> bool:
    """Whether a process lives; one that only waits to be reaped does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody listens on now, below those that outgoing connections take."""
    found: list[int] = []
    for port in random.sample(range(15_000, 32_000), 1_000):
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", port))
            found.append(port)
        if len(found) == count:
            break
    return found
