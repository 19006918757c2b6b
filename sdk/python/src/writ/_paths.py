# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import SplitResult, quote, urlencode, urlsplit

import httpx

from ._errors import UsageError

#: What `encodeURIComponent` leaves beside what `quote` leaves anyway: clients in all languages send the same path.
SAFE = "!*'()"


def path_of(
    template: str, values: Sequence[Any], rest: Sequence[str] = (), query: Mapping[str, Any] | None = None
) -> str:
    """The path of a request. INVARIANT (one route): no parameter can lead to another route.

    A URL parser resolves `.` and `..`, so they are refused. `rest` names the parameters that are the rest of the path,
    and contain `/`. Raises UsageError.
    """
    left = iter(values)
    path = re.sub(r"\{([a-z_]+)\}", lambda found: _filled(found[1], left, rest, template), template)
    text = urlencode([(name, _text_of(value)) for name, value in (query or {}).items() if value is not None])
    return path if text == "" else f"{path}?{text}"


def _filled(name: str, left: Iterator[Any], rest: Sequence[str], template: str) -> str:
    value = next(left, None)
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise UsageError(f"`{name}` is missing: it is part of the path `{template}`")
    text = str(value)
    return "/".join(_segment(one, name) for one in (text.split("/") if name in rest else [text]))


def _segment(segment: str, name: str) -> str:
    if segment in ("", ".", ".."):
        raise UsageError(f"`{name}` can't be empty, `.` or `..`, nor have such a part: it is part of a path")
    try:
        return quote(segment, safe=SAFE)
    except UnicodeEncodeError:
        raise UsageError(f"`{name}` is not well-formed Unicode") from None


def _text_of(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def address_of(url: str | None) -> str:
    """The address of the API, without a slash at its end. Raises UsageError."""
    if not url:
        raise UsageError("`url` is missing: pass the address of the API, such as `http://127.0.0.1:7480`")
    parts = _split(url)
    if parts is None:
        raise UsageError(f"`{url}` is no URL: pass one such as `http://127.0.0.1:7480`")
    if parts.scheme not in ("http", "https"):
        raise UsageError(f"`{parts.scheme}:` is not supported: `url` begins with `http:` or `https:`")
    if "@" in parts.netloc:
        raise UsageError("`url` contains a password: pass the key as `api_key`")
    if "?" in url or "#" in url:
        raise UsageError("`url` has a query or a fragment: pass the address of the API alone")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def key_of(api_key: str | None) -> str | None:
    """The key as a header can have it. Raises UsageError, without the key."""
    if api_key == "":
        raise UsageError("`api_key` is empty: pass an API key, or None for the routes that need none")
    if api_key is not None and re.fullmatch(r"[\x21-\x7e]+", api_key) is None:
        raise UsageError("`api_key` has a blank, a line break or a character that no key has: strip what you read")
    return api_key


def _split(url: str) -> SplitResult | None:
    """The parts of an absolute address; None where it is none."""
    try:
        parts = urlsplit(url)
        httpx.URL(url)
        # Reading the port is what checks it.
        return parts if parts.scheme and parts.hostname and parts.port != 0 else None
    except (ValueError, httpx.InvalidURL):
        return None
