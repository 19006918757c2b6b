# SPDX-License-Identifier: Apache-2.0
"""What all models have in common, and how answers become models."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, ValidatorFunctionWrapHandler, WrapValidator


class ApiObject(BaseModel):
    """An object of the API. Members that this version doesn't know are kept."""

    # `defer_build`: some four hundred models would take a second of each start.
    model_config = ConfigDict(
        extra="allow", frozen=True, defer_build=True, populate_by_name=True, protected_namespaces=()
    )


def _open(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    return value if isinstance(value, str) else handler(value)


#: One of several texts, where a newer server may have more of them.
OPEN = WrapValidator(_open)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def parse(kind: Any, value: Any) -> Any:
    """The value as a model. INVARIANT (no answer is lost): one of another shape is returned all the same.

    By the time it comes, what it is about has happened: an error would make it look as if it had not.
    """
    try:
        return _adapter(kind).validate_python(value)
    except ValidationError:
        return _unchecked(kind, value)


def _unchecked(kind: Any, value: Any) -> Any:
    """The same, where a part of the value doesn't fit: that part as it is, and all others as models."""
    if isinstance(kind, type) and issubclass(kind, BaseModel) and isinstance(value, dict):
        kind.model_rebuild()
        fields = {field.alias or name: (name, field.annotation) for name, field in kind.model_fields.items()}
        members = [(*fields.get(name, (name, Any)), member) for name, member in value.items()]
        return kind.model_construct(**{name: parse(annotation, member) for name, annotation, member in members})
    if get_origin(kind) is list and isinstance(value, list):
        return [parse(get_args(kind)[0], item) for item in value]
    if get_origin(kind) in (Union, UnionType):
        options = [option for option in get_args(kind) if option is not type(None)]
        return parse(options[0], value) if len(options) == 1 else value
    return value


def plain(value: Any) -> Any:
    """A model, or what contains some, as JSON."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
    if isinstance(value, Mapping):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value
