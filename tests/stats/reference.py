"""Reference values for the tests of statistics, computed without the program.

    reference.py golden                 the tables of golden.h
    reference.py summary < sets.json    for a JSON list of lists of samples a list of summaries

Only integers and fractions decide (math.comb, fractions): no rounding. Where NumPy and SciPy can be
imported their answer is added under "numpy" and "scipy".
"""

import json
import math
import sys
from fractions import Fraction


def rank_of(n):
    """Largest rank r, counted from 1, whose pair (r, n + 1 - r) covers the median with 95 %.

    0 where there is none. Coverage 1 - 2 * tail / 2**n >= 95 / 100, in integers.
    """
    tail = 0  # sum of comb(n, k) for k <= rank
    rank = 0
    term = 1
    everything = 2**n
    while True:
        tail += term
        if 40 * tail > everything:
            return rank
        rank += 1
        term = term * (n - rank + 1) // rank


def golden(last=1000):
    """For each rank from 1 on the first n at which it holds, up to n = last."""
    starts = []
    for n in range(1, last + 1):
        while len(starts) < rank_of(n):
            starts.append(n)
    return starts


def quantile(ordered, q):
    """R type 7 in exact fractions."""
    position = Fraction(q) * (len(ordered) - 1)
    below = position.numerator // position.denominator
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def summary(samples):
    ordered = sorted(Fraction(x) for x in samples)
    n = len(ordered)
    mean = sum(ordered) / n
    q1, median, q3 = (quantile(ordered, Fraction(k, 4)) for k in (1, 2, 3))
    variance = sum((x - mean) ** 2 for x in ordered) / (n - 1) if n > 1 else 0
    out = {
        "n": n,
        "min": float(ordered[0]),
        "q1": float(q1),
        "median": float(median),
        "q3": float(q3),
        "max": float(ordered[-1]),
        "mean": float(mean),
        "std": math.sqrt(variance),
        "outliers": sum(x > q3 + 3 * (q3 - q1) for x in ordered),
        "ci95": None,
        "p90": float(quantile(ordered, Fraction(9, 10))) if n >= 10 else None,
        "p99": float(quantile(ordered, Fraction(99, 100))) if n >= 100 else None,
    }
    rank = rank_of(n)
    if rank > 0:
        out["ci95"] = [float(ordered[rank - 1]), float(ordered[n - rank])]
    return out


def add_numpy(out, samples):
    try:
        import numpy
    except ImportError:
        return
    values = numpy.array(samples)
    out["numpy"] = {
        "q1": numpy.quantile(values, 0.25),
        "median": numpy.quantile(values, 0.5),
        "q3": numpy.quantile(values, 0.75),
        "mean": numpy.mean(values),
        "std": numpy.std(values, ddof=1) if len(values) > 1 else 0.0,
    }


def add_scipy(out, samples):
    try:
        from scipy import stats
    except ImportError:
        return
    n = len(samples)
    # Largest rank with P(B < rank) <= 2.5 %; ppf is the smallest k with P(B <= k) >= 2.5 %.
    rank = int(stats.binom.ppf(0.025, n, 0.5))
    if stats.binom.cdf(rank, n, 0.5) <= 0.025:
        rank += 1
    ordered = sorted(samples)
    out["scipy"] = {"ci95": [ordered[rank - 1], ordered[n - rank]] if rank > 0 else None}


def main():
    if sys.argv[1] == "golden":
        print(golden())
        print({n: rank_of(n) for n in (2500, 10_001, 100_000)})
        return
    answers = []
    for samples in json.load(sys.stdin):
        out = summary(samples)
        add_numpy(out, samples)
        add_scipy(out, samples)
        answers.append(out)
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
