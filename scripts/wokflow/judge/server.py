"""The workflow's own model server, which runs while models of stage judge are asked."""

from wokflow.frame.job import Job
from wokflow.generate.server import generate_server
from wokflow.judge.settings import ServerSettings


def judge_server(*, tasks: str, endpoint: str, settings: ServerSettings, log: str, job: Job) -> None:
    """Run a server as generate_server does. It takes `tasks` as input so that it starts only once they exist."""
    generate_server(endpoint=endpoint, settings=settings, log=log, job=job)
