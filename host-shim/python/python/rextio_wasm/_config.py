"""What a plugin may read of the project's configuration."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from enum import Enum
from pathlib import PurePath

_ABSENT = object()


def lookup(config: object, key: str) -> str | None:
    """Return the value at a dotted path as JSON text, ``None`` where there is none."""
    value = config
    for name in key.split("."):
        value = _member(value, name)
        if value is _ABSENT:
            return None
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False)


def _member(value: object, name: str) -> object:
    if isinstance(value, Mapping):
        return value.get(name, _ABSENT)
    if dataclasses.is_dataclass(value) and any(
        field.name == name for field in dataclasses.fields(value)
    ):
        return getattr(value, name)
    return _ABSENT


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, PurePath):
        return str(value)
    if dataclasses.is_dataclass(value):
        return {
            field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((_plain(item) for item in value), key=repr)
    return value
