"""`docs/plugin-api-mapping.md` against the installed core and `wit/plugin.wit`."""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import dataclasses
import enum
import re
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest
import rextio.artifacts.models
import rextio.plugins.api
from rextio.plugins.models import RextioPlugin

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "plugin-api-mapping.md"
WIT = REPOSITORY / "wit" / "plugin.wit"

Members = dict[str, list[str]]


def referenced(annotation: object) -> Iterator[type]:
    """The classes of core in a type annotation."""
    if isinstance(annotation, type) and annotation.__module__.startswith("rextio."):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from referenced(argument)


def records_of_core() -> Members:
    """Each class of the plugin API, and each record it refers to, with its members."""
    api = rextio.plugins.api
    waiting = [
        item
        for item in vars(api).values()
        if isinstance(item, type) and item.__module__ == api.__name__
    ]
    waiting.append(RextioPlugin)
    members: Members = {}
    while waiting:
        item = waiting.pop()
        if item.__name__ in members or issubclass(item, enum.Enum):
            continue
        if dataclasses.is_dataclass(item):
            members[item.__name__] = [field.name for field in dataclasses.fields(item)]
            for annotation in typing.get_type_hints(item).values():
                waiting.extend(referenced(annotation))
        else:
            names = {**vars(item), **item.__annotations__}
            members[item.__name__] = [name for name in names if not name.startswith("_")]
    return members


def closed_sets_of_core() -> dict[str, set[str]]:
    """The closed sets of strings that the plugin API validates against, and its enums."""
    sets = {
        name: set(value)
        for name, value in vars(rextio.plugins.api).items()
        if isinstance(value, frozenset) and name not in OPERATORS
    }
    for choices in (rextio.artifacts.models.ArtifactKind, rextio.artifacts.models.FallbackStrategy):
        sets[choices.__name__] = {choice.value for choice in choices}
    return sets


OPERATORS = {
    *("CALLABLE_UNARY_OPS", "CALLABLE_BINOPS", "CALLABLE_BOOLOPS", "CALLABLE_COMPARE_OPS"),
}


def items_of_wit() -> Members:
    """Each record, enum, variant and interface of the WIT file with its members."""
    text = re.sub(r"//.*", "", WIT.read_text(encoding="utf-8"))
    items: Members = {}
    for name, body in re.findall(r"\b(?:record|enum|variant) (\S+) \{([^}]*)\}", text):
        items[name.lstrip("%")] = re.findall(r"^\s*%?([a-z][a-z0-9-]*)", body, re.MULTILINE)
    for name, body in re.findall(r"^interface (\S+) \{(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        items[name] = re.findall(r"^\s*([a-z-]+): func", body, re.MULTILINE)
    return items


def section(title: str) -> list[tuple[str, str, str]]:
    """The rows of the tables under a heading, without backticks."""
    text = PAGE.read_text(encoding="utf-8")
    body = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert body, f"{PAGE.name} has no section {title!r}"
    return rows(body.group(1))


def rows(text: str) -> list[tuple[str, str, str]]:
    """The rows of all tables with three columns."""
    found = re.findall(r"^\| (`\S+`) \| (`\S+`|—) \|(.*)\|$", text, re.MULTILINE)
    return [(core.strip("`"), wit.strip("`"), remark.strip()) for core, wit, remark in found]


SETS = "Closed sets"
TABLE = [row for row in rows(PAGE.read_text(encoding="utf-8")) if row not in section(SETS)]


def names(members: Members) -> set[str]:
    """Every item, and every member as `item.member`."""
    return {
        *members,
        *(f"{item}.{member}" for item, inner in members.items() for member in inner),
    }


def test_every_class_and_field_of_core_has_a_row() -> None:
    missing = names(records_of_core()) - {core for core, _, _ in TABLE}
    assert not missing, f"add to {PAGE.name}, and to plugin.wit where it matters: {sorted(missing)}"


def test_every_row_names_something_in_core() -> None:
    unknown = {core for core, _, _ in TABLE} - names(records_of_core())
    assert not unknown, f"core has no such class or field (any more): {sorted(unknown)}"


def test_no_row_stands_twice() -> None:
    cores = [core for core, _, _ in TABLE]
    assert len(cores) == len(set(cores))


def test_every_row_names_an_item_of_the_interface_or_says_why_there_is_none() -> None:
    known = names(items_of_wit())
    unknown = [(core, wit) for core, wit, _ in TABLE if wit != "—" and wit not in known]
    assert not unknown, f"plugin.wit has no such item: {unknown}"
    silent = [core for core, wit, remark in TABLE if wit == "—" and not remark]
    assert not silent, f"say in a remark why there is no item: {silent}"


def test_remarks_name_items_of_the_interface() -> None:
    known = names(items_of_wit())
    for core, _, remark in TABLE:
        for item in re.findall(r"`([a-z-]+\.[a-z-]+)`", remark):
            assert item in known, f"the remark on {core} names {item}"


def test_every_record_of_the_interface_is_mapped_or_explained() -> None:
    text = PAGE.read_text(encoding="utf-8")
    used = set(re.findall(r"`([a-z0-9-]+)(?:\.[a-z0-9-]+)?`", text))
    kinds = {"site-kind", "severity", "types"}  # Strings in core: no class names them.
    within = {"required-variable", "forbidden-variable", "required-package"}
    missing = set(items_of_wit()) - used - kinds - within
    assert not missing, f"{PAGE.name} says nothing of {sorted(missing)}"


@pytest.mark.parametrize("name", closed_sets_of_core())
def test_closed_sets_have_the_same_members(name: str) -> None:
    mapped = {core: wit for core, wit, _ in section(SETS)}
    assert name in mapped, f"{PAGE.name} maps no {name}"
    assert set(items_of_wit()[mapped[name]]) == closed_sets_of_core()[name]


def test_the_interface_mirrors_this_version_of_the_plugin_api() -> None:
    version = rextio.plugins.api.PLUGIN_API_VERSION
    assert f"plugin API {version}" in WIT.read_text(encoding="utf-8")
    assert f"plugin API {version}" in PAGE.read_text(encoding="utf-8")
