# SPDX-License-Identifier: Apache-2.0
"""JSON in its canonical form (RFC 8785), which is the same in every language."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from ._errors import UsageError


def canonical_bytes(value: Any) -> bytes:
    """The canonical bytes of a value of JSON. Raises UsageError for what JSON doesn't have."""
    try:
        return _text_of(value).encode()
    except (UnicodeEncodeError, OverflowError, RecursionError) as error:
        raise UsageError(f"it has no canonical JSON: {error}") from error


def _text_of(value: Any) -> str:
    if value is None or isinstance(value, (bool, str)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, float)):
        return _number(float(value))
    if isinstance(value, (list, tuple)):
        return f"[{','.join(_text_of(item) for item in value)}]"
    if isinstance(value, Mapping):
        # RFC 8785 orders names by their UTF-16 code units.
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return f"{{{','.join(f'{_text_of(name)}:{_text_of(value[name])}' for name in names)}}}"
    raise UsageError(f"it has no canonical JSON: {type(value).__name__} is no value of JSON")


def _number(value: float) -> str:
    """A number as ECMAScript writes it: both languages find the shortest digits, and place the point differently."""
    if not math.isfinite(value):
        raise UsageError("it has no canonical JSON: a number is not finite")
    if value == 0:
        return "0"
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    # The place of the point, counted from the first digit.
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    sign = "-" if value < 0 else ""
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    power = f"e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return f"{sign}{digits[0]}{'.' if len(digits) > 1 else ''}{digits[1:]}{power}"
