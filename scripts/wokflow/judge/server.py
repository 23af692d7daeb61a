"""The workflow's own model server, for the time of the models that use it."""

from wokflow.frame.job import Job
from wokflow.generate.server import generate_server
from wokflow.judge.settings import ServerSettings


def judge_server(*, tasks: str, endpoint: str, settings: ServerSettings, log: str, job: Job) -> None:
    """Run a server, as generate_server does, once there are `tasks` to ask its model."""
    generate_server(endpoint=endpoint, settings=settings, log=log, job=job)
