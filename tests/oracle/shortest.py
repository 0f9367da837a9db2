"""Prints numbers as C++'s std::to_chars(first, last, value) does: the fewest digits that read back as the same value of that
type, in fixed or scientific notation, whichever is shorter (fixed when equal).

So that a C++ program writes the same text without thinking: 1.0 is `1`, 0.1f is `0.1`, 100000.0 is `1e+05`.
"""

import math

import numpy as np


def shortest(value):
    """`value` (a Python or numpy float, of its own precision) as std::to_chars prints it."""
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    sign = "-" if math.copysign(1, value) < 0 else ""
    if value == 0:
        return sign + "0"
    mantissa, _, exponent = np.format_float_scientific(abs(value), unique=True, trim="-").partition("e")
    digits = mantissa.replace(".", "")
    ten = int(exponent) - (len(digits) - 1)  # value = digits * 10 ** ten
    low, high = (-(len(digits) + 2), 4) if len(digits) == 1 else (-(len(digits) + 3), 5)
    if low <= ten <= high:
        return sign + _fixed(abs(value), digits, ten)
    scientific = int(exponent)
    point = "." if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{point}{digits[1:]}e{'-' if scientific < 0 else '+'}{abs(scientific):02d}"


def _fixed(value, digits, ten):
    if ten >= 0:
        return str(int(value))  # exact, as to_chars prints whole numbers
    whole = len(digits) + ten
    if whole > 0:
        return digits[:whole] + "." + digits[whole:]
    return "0." + "0" * -whole + digits
