"""Wilson score intervals for shares (Wilson, Journal of the American Statistical Association 22, 1927)."""

import math

Z = 1.959963984540054
"""The quantile of the normal law for 95 %."""


def wilson(right: float, total: int, z: float = Z) -> tuple[float, float]:
    """The 95 % interval of a share of which `right` of `total` was seen; (0, 1) where nothing was.

    Example:
        >>> low, high = wilson(128, 128)
        >>> round(low, 4), high
        (0.9709, 1.0)
    """
    if total == 0:
        return 0.0, 1.0
    share, z2 = right / total, z * z
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = z / (1 + z2 / total) * math.sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    low, high = middle - half, middle + half
    return (0.0 if right == 0 else low), (1.0 if right == total else high)
