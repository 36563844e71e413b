"""Made-up turns with a known truth, for the statistics to find out."""

from __future__ import annotations

import numpy as np


def logistic(x):
    return 1 / (1 + np.exp(-x))


def calibrated(seed, n, ties=False):
    """Outcomes, probabilities that are right, and weights."""
    random = np.random.default_rng(seed)
    p = logistic(random.normal(-1, 1.5, n))
    if ties:
        p = np.round(p, 1)
    return (random.random(n) < p).astype(float), p, random.uniform(0.2, 5, n)


def over_confident(random, n):
    """True probabilities of about 25 %, and what a model makes of them: too sure, and shifted."""
    x = random.normal(-1.5, 1.2, n)
    truth = logistic(x)
    return (random.random(n) < truth).astype(float), truth, logistic(2 * x + 1)


def excess(truth, q):
    """Log loss of q over that of the truth, on average (Kullback-Leibler)."""
    q = np.clip(q, 1e-4, 1 - 1e-4)
    return float(np.mean(truth * np.log(truth / q) + (1 - truth) * np.log((1 - truth) / (1 - q))))
