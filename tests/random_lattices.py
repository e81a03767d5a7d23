"""Small random tables with hierarchies."""

from __future__ import annotations

import numpy as np


def random_hierarchy(rng, values, height):
    """Return a hierarchy of so many levels above the values, labels in no order; not always with one label on top."""
    levels = [rng.permutation(values)]
    for _ in range(height):
        labels = int(levels[-1].max()) + 1
        parents = rng.integers(0, max(1, (labels + 1) // 2), labels)
        levels.append(parents[levels[-1]])
    return np.stack(levels, axis=1)


def random_problem(seed):
    rng = np.random.default_rng(seed)
    heights = rng.integers(0, 4, rng.integers(1, 5))
    hierarchies = [random_hierarchy(rng, int(rng.integers(1, 8)), int(height)) for height in heights]
    records = int(rng.integers(4, 40))
    codes = [rng.integers(0, len(h), records) for h in hierarchies]
    return codes, np.ones(records, dtype=np.int64), hierarchies
