"""A Python that has imported the large libraries already: each process is a fork of one that waits with them.

Tests run hundreds of jobs, each of which would spend seconds on importing torch, spaCy or transformers. The function
`quick_python` gives a program to take in the place of sys.executable. Of a script, and (-m) of Snakemake, the check
of a cluster and a contender of a benchmark, it runs a fork; anything else it hands to Python itself. A job's
working folder, environment, arguments, import path and open files are its own; only what libraries read from the
environment when they are imported (OMP_NUM_THREADS) is that of the one that waits. Who kills the program kills the
job and all that it has started, but a moment later, since the fork is no child of the program: `is_idle` says
whether it is gone. So jobs of Slurm that tests kill, limit or look at from outside are started as users start them.
"""

import atexit
import contextlib
import functools
import json
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Third-party packages alone: the code of the workflow is that of the house that a job runs in.
LIBRARIES = """
snakemake.cli snakemake.workflow snakemake.api snakemake.script jsonschema polars pyarrow.compute pyarrow.parquet
scipy.stats sklearn.linear_model torch spacy thinc.api sentence_transformers transformers accelerate trl datasets
gensim.models jieba opencc faiss sacrebleu rouge_score.rouge_scorer openai altair
"""
CLIENT = """\
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    sent = json.dumps([sys.argv[2:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(server, [len(sent).to_bytes(4, "big")], [0, 1, 2])
    server.sendall(sent)
    sys.exit(int.from_bytes(server.recv(1) or b"\\1", "big"))
"""


@functools.cache
def quick_python(*variables: tuple[str, str]) -> str:
    """The program. It and what waits behind it last as long as this process.

    `variables` are added to the environment in which Python starts and libraries are imported.
    """
    folder = Path(tempfile.mkdtemp(prefix="quick_python_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    program, client, listening = folder / "python", folder / "client.py", folder / "socket"
    client.write_text(CLIENT)
    program.write_text(
        f'#!/bin/sh\nquick() {{ exec {sys.executable} -I -S {client} {listening} "$@"; }}\n'
        'case "$1 $2" in *.py\\ *|-m\\ snakemake|-m\\ wokflow.cluster.*|-m\\ tests.bench.measure) quick "$@";; esac\n'
        f'exec {sys.executable} "$@"\n'
    )
    program.chmod(0o755)
    named = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    others = [each for each in named if not Path(each).resolve().is_relative_to(ROOT)]
    alive, _ = os.pipe()  # the other end stays open as long as this process, and is closed however that ends
    ready = subprocess.Popen(
        [sys.executable, __file__, str(listening), str(alive), str(program)],
        pass_fds=[alive],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(others), "OMP_NUM_THREADS": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
        | dict(variables),
    )
    os.close(alive)
    assert ready.stdout and ready.stdout.readline() == b"ready\n"
    return str(program)


def is_idle(folder: Path) -> bool:
    """Whether no process of this user works in a folder."""
    for process in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):  # it has ended, or is another user's
            if process.readlink() == folder:
                return False
    return True


def serve(listening: str, alive: int, program: str) -> None:
    """Wait with the libraries for clients, until the other end of `alive` is closed; `program` runs jobs of jobs."""
    path = list(sys.path)
    for library in LIBRARIES.split():
        __import__(library)
    sys.path[:] = path  # some add to it
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(listening)
        server.listen(16)
        print("ready", flush=True)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait for jobs
        while alive not in select.select([server, alive], [], [])[0]:
            client, _ = server.accept()
            if not os.fork():
                server.close()
                os.close(alive)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                os._exit(_wait_for_job(client, program))
            client.close()


def _wait_for_job(client: socket.socket, program: str) -> int:
    """Fork the job, tell the client how it ended; kill it where the client is gone."""
    size, files, _, _ = socket.recv_fds(client, 4, 3)
    with client.makefile("rb") as stream:
        arguments, folder, environment = json.loads(stream.read(int.from_bytes(size, "big")))
    job = os.fork()
    if not job:
        os.setpgid(0, 0)
        for place, file in enumerate(files):
            os.dup2(file, place)
            os.close(file)
        os.chdir(folder)
        if select.select([client], [], [], 0)[0]:  # gone already
            os._exit(1)
        client.close()
        os.environ.clear()
        os.environ.update(environment)
        os._exit(_run(arguments, program))
    ended = os.pidfd_open(job)
    if ended not in select.select([client, ended], [], [])[0]:
        # Without a group yet, it will see by itself that the client is gone.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(job, 0)[1])
    with contextlib.suppress(OSError):
        client.sendall((status if status >= 0 else 128 - status).to_bytes(1, "big"))
    return 0


def _run(arguments: list[str], program: str) -> int:
    """The exit status of a script, or of a module (-m), whose own jobs run in forks, too."""
    run: Callable[..., object]
    if arguments[0] == "-m":
        sys.argv, folder, run = arguments[1:], Path.cwd(), runpy.run_module
        sys.executable = program
    else:
        sys.argv, folder, run = arguments, Path(arguments[0]).resolve().parent, runpy.run_path
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:1] = [str(folder), *(str(Path(each).absolute()) for each in named if each)]
    status: object = None
    try:
        run(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        status = end.code
    except BaseException:
        traceback.print_exc()
        status = 1
    if status is not None and not isinstance(status, int):
        print(status, file=sys.stderr)
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return int(status or 0)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), sys.argv[3])
