"""The environment variables that jobs on nodes get: those named here. Keys reach jobs by a file, not through Slurm.

sbatch sends its whole environment to Slurm's controller, which keeps it on disk and shows it to everybody who may see
a job's environment. So a run drops all other variables before it submits its first job. Secrets go to the jobs in a
file that only the user may read.
"""

import atexit
import json
import os
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from wokflow.frame.job import UserError
from wokflow.frame.leftovers import is_over, writer
from wokflow.frame.secrets import is_secret, named_in

KEYS = "wokflow.{writer}.keys"  # in .snakemake of a run's folder, which all nodes see
VARIABLE = "WOKFLOW_KEYS"  # names the file to a job
PASSED = re.compile(
    # who and where the user is
    r"HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|XDG_\w+|TERM|"
    # where programs are
    r"PATH|LD_LIBRARY_PATH|PYTHON\w+|VIRTUAL_ENV|CONDA_\w+|MAMBA_\w+|_CE_\w+|MODULE\w+|LOADEDMODULES|_LMFILES_|"
    r"LMOD_\w+|__LMOD_\w+|EB\w+|BASH_ENV|BASH_FUNC_.+|ENV|SPACK_\w+|APPTAINER\w*|SINGULARITY\w*|"
    # Slurm and what it may need
    r"SLURM_\w+|SBATCH_\w+|SRUN_\w+|SQUEUE_\w+|SACCT_\w+|SCANCEL_\w+|SPANK_\w+|MUNGE\w*|KRB5\w+|"
    # networks
    r"(?:https?|ftp|all|no)_proxy|(?:HTTPS?|FTP|ALL|NO)_PROXY|SSL_CERT_\w+|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|"
    # what the steps compute with
    r"HF_\w+|HUGGING\w+|TRANSFORMERS_\w+|SENTENCE_\w+|TOKENIZERS_\w+|TORCH\w*|PYTORCH_\w+|ACCELERATE_\w+|VLLM_\w+|"
    r"OLLAMA_\w+|HANLP_\w+|SPACY_\w+|JIEBA_\w+|POLARS_\w+|RAYON_\w+|OMP_\w+|KMP_\w+|MKL_\w+|OPENBLAS_\w+|GOMP_\w+|"
    r"CUDA\w*|NVIDIA_\w+|NCCL_\w+|GLOO_\w+|UCX_\w+|FI_\w+|ROCM_\w+|HIP_\w+|HSA_\w+|SNAKEMAKE_\w+|WOKFLOW_\w+"
)


def hand_over(key_variables: Collection[str]) -> None:
    """Leave in this process's environment what jobs get of it, and write the keys that they need to a file.

    `key_variables` are names of variables that hold keys. The file is the user's own, and is removed when the process
    ends. Raises UserError where it cannot be kept from others.
    """
    for name in written_apart(os.environ, key_variables):
        del os.environ[name]
    os.environ[VARIABLE] = str(keys_file())
    atexit.register(remove_keys)


def written_apart(environment: Mapping[str, str], key_variables: Collection[str]) -> list[str]:
    """Write the keys that jobs need to a file of the user's own; return the variables that Slurm must not pass on.

    `key_variables` are names of variables that hold keys. Raises UserError where the file cannot be kept from others.
    """
    wanted = {name for name in environment if PASSED.fullmatch(name)} | (
        named_in(environment) | {*key_variables}
    ) & {*environment}
    secret = {name for name in wanted if name in key_variables or is_secret(name, environment[name])}
    for path in keys_file().parent.glob(
        KEYS.format(writer="*")
    ):  # of this process, or of a run that was killed
        if path == keys_file() or is_over(path.name.removeprefix("wokflow.").removesuffix(".keys")):
            path.unlink(missing_ok=True)
    if secret:
        _write({name: environment[name] for name in sorted(secret)})
    return [name for name in environment if name not in wanted or name in secret]


def keys_file() -> Path:
    """The file of this run's keys; each run in a folder has its own."""
    return Path.cwd() / ".snakemake" / KEYS.format(writer=writer())


def load_keys() -> None:
    """Put the keys that a run handed over into this job's environment. Raises UserError if others may read them."""
    path = Path(os.environ.get(VARIABLE, ""))
    if path == Path():
        return
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    except OSError as error:
        raise UserError(f"{path} has the keys of this run, and cannot be read: {error.strerror}") from error
    with os.fdopen(descriptor, encoding="utf-8") as file:
        about = os.fstat(descriptor)
        if about.st_uid != os.getuid() or about.st_mode & 0o077:
            raise UserError(f"{path} has keys, and others may read it: remove it, then start the run again.")
        keys: dict[str, str] = json.load(file)
    for name, key in keys.items():
        os.environ.setdefault(name, key)


def remove_keys() -> None:
    """Remove the file of this run's keys."""
    with suppress(OSError):
        keys_file().unlink()


def _write(keys: Mapping[str, str]) -> None:
    path = keys_file()
    try:
        path.parent.mkdir(exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            readable = os.fstat(file.fileno()).st_mode & 0o077
            if not readable:
                json.dump(dict(keys), file)
        if readable:
            path.unlink()
            raise UserError(
                f"Jobs on nodes need {', '.join(keys)}, and {path.parent} keeps no file from others. "
                "Start the run in a folder of another file system, or without these variables."
            )
    except OSError as error:
        raise UserError(f"The keys that jobs on nodes need cannot be handed over: {error}") from error
