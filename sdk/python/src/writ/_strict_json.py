# SPDX-License-Identifier: Apache-2.0
"""JSON of somebody who may be an attacker, with one meaning in every language: I-JSON (RFC 7493)."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

#: Every double beyond is an integer that its neighbours also round to.
SAFE_INTEGER_MAX = 2**53 - 1


class JsonError(ValueError):
    """A text that is no I-JSON."""


def parse_strictly(text: str | bytes, *, depth_max: int, bytes_max: int) -> Any:
    """Refuses a byte order mark, a member that comes twice, numbers that a double can't hold, unpaired surrogates, and
    NUL. A number that is an integer is read as one, however it is written. Raises JsonError and nothing else.
    """
    try:
        data = text.encode() if isinstance(text, str) else bytes(text)
        if len(data) > bytes_max:
            raise JsonError(f"it has more than {bytes_max} bytes")
        value = json.loads(
            data.decode(),
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_constant,
        )
    except RecursionError:
        raise JsonError("it is nested too deep") from None
    except (UnicodeError, json.JSONDecodeError) as error:
        raise JsonError(f"it is no JSON: {error}") from None
    _require(value, depth_max)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise JsonError("a member comes twice")
    return made


def _integer(text: str) -> int:
    # The longest one has sixteen digits and a sign. A longer one isn't computed.
    value = int(text) if len(text) <= 17 else SAFE_INTEGER_MAX + 1
    if abs(value) > SAFE_INTEGER_MAX:
        raise JsonError("a number is beyond those that a double holds exactly")
    return value


def _number(text: str) -> int | float:
    value = float(text)
    if not math.isfinite(value) or abs(value) > SAFE_INTEGER_MAX:
        raise JsonError("a number is beyond those that a double holds exactly")
    return int(value) if value.is_integer() else value


def _constant(text: str) -> NoReturn:
    raise JsonError(f"`{text}` is no number of JSON")


def _require(value: Any, depth_left: int) -> None:
    if isinstance(value, str):
        _require_text(value)
    elif isinstance(value, (dict, list)):
        if depth_left == 0:
            raise JsonError("it is nested too deep")
        if isinstance(value, dict):
            for name in value:
                _require_text(name)
        for item in value.values() if isinstance(value, dict) else value:
            _require(item, depth_left - 1)


def _require_text(text: str) -> None:
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise JsonError("a text has an unpaired surrogate or NUL")
