"""What of an OpenAPI 3.0 document a client could rely on that another one no longer gives.

A request may be narrowed no further: what was accepted must stay accepted. An answer may be widened no further: what
never occurred must not begin to. Texts, examples, names of schemas and limits of answers are nobody's to rely on.
"""

import operator
from typing import Iterator, NamedTuple

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")

# Bounds of requests: what their absence means, and how a new one must compare with the old one.
BOUNDS = {
    "maximum": (None, operator.ge),
    "maxLength": (None, operator.ge),
    "maxItems": (None, operator.ge),
    "maxProperties": (None, operator.ge),
    "minimum": (None, operator.le),
    "minLength": (0, operator.le),
    "minItems": (0, operator.le),
    "minProperties": (0, operator.le),
}


class Break(NamedTuple):
    """One breaking change: the operation or schema that it is in, and what it is."""

    subject: str
    change: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.change}"


def breaks(old: dict, new: dict) -> list[Break]:
    """Every breaking change from one document to the other, each once, in a stable order."""
    return sorted(set(Comparison(old, new).operations()))


class Comparison:
    """Two documents, and the pairs of their schemas that have been compared."""

    def __init__(self, old: dict, new: dict):
        self.old, self.new = old, new
        self.compared: set[tuple[str, str, bool]] = set()

    def operations(self) -> Iterator[Break]:
        for path, item in self.old["paths"].items():
            for method in METHODS:
                if method in item:
                    before, after = item[method], self.new["paths"].get(path, {}).get(method)
                    yield from self.operation(f"{method.upper()} {path}", before, after)

    def operation(self, address: str, old: dict, new: dict | None) -> Iterator[Break]:
        name = old["operationId"]
        if new is None:
            yield Break(name, f"{address} is gone")
            return
        if new["operationId"] != name:
            yield Break(name, f"{address} has the operation id {new['operationId']}")
        yield from self.security(name, old.get("security", []), new.get("security", []))
        yield from self.parameters(name, old.get("parameters", []), new.get("parameters", []))
        yield from self.body(name, old.get("requestBody"), new.get("requestBody"))
        yield from self.answers(name, old["responses"], new["responses"])

    def security(self, name: str, old: list, new: list) -> Iterator[Break]:
        if not old and new and {} not in new:
            yield Break(name, "credentials are needed")
        accepted = [sorted(scheme) for scheme in new]
        for scheme in old if new else []:
            if sorted(scheme) not in accepted:
                yield Break(name, f"credentials of the scheme {' and '.join(sorted(scheme)) or 'none'} no longer do")

    def parameters(self, name: str, old: list, new: list) -> Iterator[Break]:
        def by_place(parameters: list) -> dict:
            return {(parameter["in"], parameter["name"]): parameter for parameter in parameters}

        before, after = by_place(old), by_place(new)
        for place, parameter in before.items():
            label = f"the {place[0]} parameter {place[1]}"
            if place not in after:
                yield Break(name, f"{label} is gone")
                continue
            if after[place].get("required") and not parameter.get("required"):
                yield Break(name, f"{label} is required")
            for key in ("style", "explode"):
                if parameter.get(key) != after[place].get(key):
                    yield Break(name, f"{label} is written in another way ({key})")
            yield from self.schema(name, label, parameter["schema"], after[place]["schema"], request=True)
        for place, parameter in after.items():
            if place not in before and parameter.get("required"):
                yield Break(name, f"the {place[0]} parameter {place[1]} is new and required")

    def body(self, name: str, old: dict | None, new: dict | None) -> Iterator[Break]:
        if new is None:
            if old is not None:
                yield Break(name, "the body is no longer read")
            return
        if new.get("required") and not (old or {}).get("required"):
            yield Break(name, "a body is required")
        yield from self.contents(name, "the body", (old or {}).get("content", {}), new["content"], request=True)

    def answers(self, name: str, old: dict, new: dict) -> Iterator[Break]:
        for status, answer in old.items():
            label = f"the answer {status}"
            if status not in new:
                yield Break(name, f"{label} is gone")
                continue
            for header in answer.get("headers", {}):
                if header not in new[status].get("headers", {}):
                    yield Break(name, f"{label} lacks the header {header}")
            before, after = answer.get("content", {}), new[status].get("content", {})
            yield from self.contents(name, label, before, after, request=False)
        for status in new:
            if status not in old and status[0] in "23":
                yield Break(name, f"the answer {status} is a new way to succeed")

    def contents(self, name: str, label: str, old: dict, new: dict, *, request: bool) -> Iterator[Break]:
        for media_type, content in old.items():
            if media_type not in new:
                yield Break(name, f"{label} is no longer {media_type}")
            elif "schema" in content and "schema" in new[media_type]:
                yield from self.schema(name, label, content["schema"], new[media_type]["schema"], request=request)

    def schema(self, name: str, label: str, old: dict, new: dict, *, request: bool) -> Iterator[Break]:
        old_name, old, old_null = resolve(self.old, old)
        new_name, new, new_null = resolve(self.new, new)
        if request and old_null and not new_null:
            yield Break(name, f"{label} must not be null")
        if not request and new_null and not old_null:
            yield Break(name, f"{label} can be null")
        if old_name and new_name:
            # What is wrong inside is the schema's, and is told once however many use it.
            if (old_name, new_name, request) in self.compared:
                return
            self.compared.add((old_name, new_name, request))
            name, label = old_name, "the body" if request else "the answer"
        yield from self.kinds(name, label, old, new, request)
        yield from self.choices(name, label, old, new, request)
        if request:
            yield from narrowed(name, label, old, new)
        yield from self.properties(name, label, old, new, request)
        if "items" in old and "items" in new:
            yield from self.schema(name, f"an item of {label}", old["items"], new["items"], request=request)
        if isinstance(old.get("additionalProperties"), dict) and isinstance(new.get("additionalProperties"), dict):
            before, after = old["additionalProperties"], new["additionalProperties"]
            yield from self.schema(name, f"a value in {label}", before, after, request=request)

    def kinds(self, name: str, label: str, old: dict, new: dict, request: bool) -> Iterator[Break]:
        # The side that may be wider, and the other.
        wide, narrow = (new, old) if request else (old, new)
        if wide.get("type") != narrow.get("type"):
            anything = "type" not in wide and "oneOf" not in wide
            if not anything and (wide.get("type"), narrow.get("type")) != ("number", "integer"):
                yield Break(name, f"{label} is {kind_of(new)} instead of {kind_of(old)}")
        elif wide.get("format") not in (None, narrow.get("format")):
            yield Break(name, f"{label} has the format {new.get('format')} instead of {old.get('format')}")

    def choices(self, name: str, label: str, old: dict, new: dict, request: bool) -> Iterator[Break]:
        # The side that must be covered, and the side that must cover it.
        inner, outer = (old, new) if request else (new, old)
        missing = "no longer takes" if request else "can be"
        if "enum" in outer:
            if "enum" not in inner:
                yield Break(name, f"{label} {'is one of a list' if request else 'is no longer one of a list'}")
            for value in inner.get("enum", []):
                if value not in outer["enum"]:
                    yield Break(name, f"{label} {missing} {value!r}")
        if "oneOf" in old and "oneOf" in new:
            yield from self.unions(name, label, old["oneOf"], new["oneOf"], request)

    def unions(self, name: str, label: str, old: list, new: list, request: bool) -> Iterator[Break]:
        inner, outer = (old, new) if request else (new, old)
        kinds = [kind_of(kind) for kind in outer]
        for kind in inner:
            if kind_of(kind) not in kinds:
                yield Break(name, f"{label} {'no longer takes' if request else 'can be'} {kind_of(kind)}")
        for before in old:
            for after in new:
                if kind_of(before) == kind_of(after):
                    yield from self.schema(name, f"{label} as {kind_of(before)}", before, after, request=request)

    def properties(self, name: str, label: str, old: dict, new: dict, request: bool) -> Iterator[Break]:
        before, after = old.get("properties", {}), new.get("properties", {})
        for key, schema in before.items():
            if key not in after:
                yield Break(name, f"the property {key} of {label} is gone")
            else:
                yield from self.schema(name, f"the property {key} of {label}", schema, after[key], request=request)
        was, is_now = set(old.get("required", [])), set(new.get("required", []))
        if request:
            for key in sorted(is_now - was):
                yield Break(name, f"the property {key} of {label} is required")
        else:
            for key in sorted((was - is_now) & after.keys()):
                yield Break(name, f"the property {key} of {label} can be absent")


def narrowed(name: str, label: str, old: dict, new: dict) -> Iterator[Break]:
    for bound, (least, allows) in BOUNDS.items():
        before, after = old.get(bound, least), new.get(bound, least)
        if after is not None and before != after and (before is None or not allows(after, before)):
            yield Break(name, f"{label} has {bound} {after} instead of {'none' if before is None else before}")
    if new.get("pattern") and new["pattern"] != old.get("pattern"):
        yield Break(name, f"{label} has the pattern {new['pattern']} instead of {old.get('pattern') or 'none'}")
    if new.get("uniqueItems") and not old.get("uniqueItems"):
        yield Break(name, f"{label} must hold no item twice")
    if new.get("additionalProperties") is False and old.get("additionalProperties") is not False:
        yield Break(name, f"{label} takes no further properties")


def resolve(document: dict, schema: dict) -> tuple[str | None, dict, bool]:
    """The name of a schema that is referred to, the schema itself, and whether null is among its values."""
    name, null = None, bool(schema.get("nullable"))
    while reference := reference_of(schema):
        name = reference.removeprefix("#/components/schemas/")
        schema = document["components"]["schemas"][name]
        null = null or bool(schema.get("nullable"))
    return name, schema, null


def reference_of(schema: dict) -> str | None:
    parts = schema.get("allOf", [])
    return schema.get("$ref") or (parts[0].get("$ref") if len(parts) == 1 else None)


def kind_of(schema: dict) -> str:
    if reference := reference_of(schema):
        return reference.rsplit("/", 1)[-1]
    return f"{schema.get('type', 'any')} {schema.get('enum', '')}".strip()
