# SPDX-License-Identifier: Apache-2.0
"""Checks a value against a JSON Schema, of the keywords that the schema of a record uses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

KNOWN = {
    "type", "const", "enum", "anyOf", "required", "properties", "additionalProperties", "items",
    "minItems", "maxItems", "minLength", "maxLength", "pattern", "minimum", "maximum",
}  # fmt: skip

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def fault_of(schema: Mapping[str, Any], value: Any, place: str = "") -> str | None:
    """The place that doesn't fit; None where all does. INVARIANT (unknown is refused): so is an unknown keyword."""
    unknown = schema.keys() - KNOWN
    if unknown:
        raise RuntimeError(f"keywords that are not checked: {sorted(unknown)}")
    if "anyOf" in schema:
        return None if any(fault_of(one, value) is None for one in schema["anyOf"]) else place
    if "enum" in schema and not any(_is_same(one, value) for one in schema["enum"]):
        return place
    if "const" in schema and not _is_same(schema["const"], value):
        return place
    if "type" in schema and not _is_of(schema["type"], value):
        return place
    if isinstance(value, dict):
        return _object_fault(schema, value, place)
    if isinstance(value, list):
        return _list_fault(schema, value, place)
    return place if _is_out_of_bounds(schema, value) else None


def _is_same(one: Any, value: Any) -> bool:
    # True is 1 in Python, and not in JSON.
    return isinstance(one, bool) == isinstance(value, bool) and bool(one == value)


def _is_of(kind: str, value: Any) -> bool:
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _object_fault(schema: Mapping[str, Any], value: dict[str, Any], place: str) -> str | None:
    members = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{place}/{name}"
    for name, member in value.items():
        if name not in members:
            if schema.get("additionalProperties") is not False:
                continue
            return f"{place}/{name}"
        fault = fault_of(members[name], member, f"{place}/{name}")
        if fault is not None:
            return fault
    return None


def _list_fault(schema: Mapping[str, Any], value: list[Any], place: str) -> str | None:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        return place
    faults = (fault_of(schema.get("items", {}), item, f"{place}/{at}") for at, item in enumerate(value))
    return next((fault for fault in faults if fault is not None), None)


def _is_out_of_bounds(schema: Mapping[str, Any], value: Any) -> bool:
    if isinstance(value, str):
        # `$` of Python also stands before a newline at the end; JSON Schema's does not.
        pattern = schema.get("pattern", "").replace("$", r"\Z")
        fits = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
        return not fits or re.search(pattern, value) is None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return not schema.get("minimum", value) <= value <= schema.get("maximum", value)
    return False
