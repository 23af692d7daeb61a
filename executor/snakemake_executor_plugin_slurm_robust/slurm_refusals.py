"""Why Slurm refused a submission: for now, so that waiting helps, or for good."""

import re
from dataclasses import dataclass

LIMIT = re.compile(r"\b(?:Assoc|QOS)\w+")  # the name of a limit, as Slurm writes it
FULL = re.compile(
    r"job submit limit|maximum (?:number of )?jobs|too many jobs|MaxSubmitJob|MaxJobCount", re.I
)
BUSY = re.compile(
    r"temporarily un|timed out|unable to contact slurm|zero bytes were transmitted|connection refused|"
    r"transport endpoint is not connected|communications?\b.*\bfailure|message (?:send|receive) failure|"
    r"backup controller in standby|(?:rpc|rate) limit exceeded|controller is (?:busy|not responding)",
    re.I,
)
CALL = "sbatch call:"  # after this, the executor's message repeats the command


@dataclass(frozen=True)
class Refusal:
    """A refusal that ends by itself: what is waited for, in words, and whether Slurm may have taken the job."""

    reason: str
    may_be_taken: bool


def temporary(message: str) -> Refusal | None:
    """The refusal in the message of a failed submission; None where waiting would not help.

    Slurm's text is the same for limits on the number of submitted jobs and on the size of one job. Where it names the
    limit, the name decides.
    """
    words = " ".join(message.partition(CALL)[0].split())
    limits: list[str] = LIMIT.findall(words)
    submitted = [limit for limit in limits if "Submit" in limit]
    if submitted or (not limits and FULL.search(words)):
        named = f" ({submitted[0]})" if submitted else ""
        return Refusal(f"as many jobs as your account may have there are in the queue{named}", False)
    if not limits and BUSY.search(words):
        return Refusal("its controller is busy or out of reach", True)
    return None
