"""The level of all intervals, and the interval of a share."""

import math
from statistics import NormalDist

LEVEL = 0.95  # sacrebleu gives no other


def wilson(share: float, trials: float) -> tuple[float, float]:
    """Both ends of Wilson's score interval (1927) of a share; nothing is known of it without trials."""
    if not trials:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    middle = share + z * z / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    whole = 1 + z * z / trials
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)
