"""Reference values for the tests of fits, computed without the program.

    fits_reference.py < {"fits": [...], "crossovers": [...], "saturations": [...]}

Regression in exact fractions of the logarithms, Student's t by integrating its density, crossings by
trying every pair of points. Where SciPy can be imported its regression is added under "scipy".
null stands for NaN.
"""

import json
import math
import sys
from fractions import Fraction


def usable(value):
    return value is not None and math.isfinite(value) and value > 0


def t95(degrees):
    """The t with P(-t <= T <= t) = 0.95, by Simpson's rule in the angle: T = sqrt(n) tan(angle)."""
    weight = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - math.log(math.pi) / 2
    scale = 2 * math.exp(weight)  # the density becomes cos(angle)^(degrees - 1)

    def probability(angle, pieces=2000):
        width = angle / pieces
        values = [math.cos(i * width) ** (degrees - 1) for i in range(pieces + 1)]
        inner = 4 * math.fsum(values[1:-1:2]) + 2 * math.fsum(values[2:-1:2])
        return scale * width / 3 * (values[0] + inner + values[-1])

    low, high = 0.0, math.pi / 2
    for _ in range(80):
        middle = (low + high) / 2
        if probability(middle) < 0.95:
            low = middle
        else:
            high = middle
    return math.tan(low) * math.sqrt(degrees)


def fit(xs, ys):
    pairs = [(math.log(x), math.log(y)) for x, y in zip(xs, ys) if usable(x) and usable(y)]
    n = len(pairs)
    if len({x for x, _ in pairs}) < 2:
        return None
    exact = [(Fraction(x), Fraction(y)) for x, y in pairs]
    mean_x = sum(x for x, _ in exact) / n
    mean_y = sum(y for _, y in exact) / n
    xx = sum((x - mean_x) ** 2 for x, _ in exact)
    yy = sum((y - mean_y) ** 2 for _, y in exact)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in exact) / xx
    offset = mean_y - slope * mean_x
    residuals = [y - offset - slope * x for x, y in exact]
    left = sum(r * r for r in residuals)
    out = {
        "n": n,
        "slope": float(slope),
        "log_factor": float(offset),
        "r2": float(1 - left / yy) if yy > 0 else None,
        "residuals": [float(r) for r in residuals],
        "ci95": None,
    }
    if n >= 3:
        reach = t95(n - 2) * math.sqrt(left / (n - 2) / xx)
        out["ci95"] = [float(slope) - reach, float(slope) + reach]
    try:
        from scipy import stats
    except ImportError:
        return out
    answer = stats.linregress([x for x, _ in pairs], [y for _, y in pairs])
    reach = stats.t.ppf(0.975, n - 2) * answer.stderr if n >= 3 else 0
    if yy > 0:  # else SciPy divides 0 by 0
        out["scipy"] = {"slope": answer.slope, "r2": answer.rvalue**2, "reach": float(reach)}
    return out


def crossovers(first, second):
    """Curves as lists of [x, y, low, high]."""
    both = []
    for x, y, low, high in first:
        for other in second:
            if other[0] == x:
                both.append((x, math.log(y / other[1]), low > other[3], high < other[2]))
    both.sort()
    decided = [i for i, (_, _, above, below) in enumerate(both) if above or below]
    found = []
    for i, j in zip(decided, decided[1:]):
        if both[i][2] == both[j][2]:
            continue
        for k in range(j - 1, i - 1, -1):
            (x0, r0, _, _), (x1, r1, _, _) = both[k], both[k + 1]
            if (r1 > 0) == both[j][2] and r1 != 0 and ((r0 > 0) != both[j][2] or r0 == 0):
                at = x0 * (x1 / x0) ** (r0 / (r0 - r1))
                found.append([at, both[i][0], both[j][0], both[j][2]])
                break
    return found


def saturation(xs, ys):
    first = {}
    for x, y in zip(xs, ys):
        if usable(x) and usable(y):
            first.setdefault(x, y)
    points = sorted(first.items())
    for i, (x0, y0) in enumerate(points[:-1]):
        doublings = [math.log(y / y0) / math.log(x / x0) for x, y in points[i + 1 :]]
        gains = [2 ** min(d, 1000.0) - 1 for d in doublings]  # no overflow for x close together
        if max(gains) < 0.10:
            return [*points[i + 1], gains[0]]
    return None


def main():
    asked = json.load(sys.stdin)
    json.dump(
        {
            "t95": {str(n): t95(n) for n in (1, 2, 3, 4, 5, 8, 17, 40, 101)},
            "fits": [fit(*sets) for sets in asked["fits"]],
            "crossovers": [crossovers(*sets) for sets in asked["crossovers"]],
            "saturations": [saturation(*sets) for sets in asked["saturations"]],
        },
        sys.stdout,
        allow_nan=False,
    )


if __name__ == "__main__":
    main()
