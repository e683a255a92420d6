#!/usr/bin/env python3
"""Compares the document with that of the last release.

    tests/contract/compatibility.py [OLD NEW [CHANGELOG]]

Fails on a breaking change that the changelog does not announce. An announcement is an entry under "Unreleased" that
says **Breaking** and names, in backticks, the operation id or the schema that the change is in.
"""

import json
import re
import sys
from pathlib import Path

from breaking import Break, breaks

REPOSITORY = Path(__file__).resolve().parents[2]
RELEASED = REPOSITORY / "openapi" / "released.json"
CURRENT = REPOSITORY / "openapi" / "flagstone.json"
CHANGELOG = REPOSITORY / "CHANGELOG.md"


def announced(changelog: str) -> set[str]:
    """The names that entries under "Unreleased" which say **Breaking** have in backticks."""
    section = re.search(r"^## Unreleased$(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    entries = re.split(r"^[-*] ", section.group(1) if section else "", flags=re.MULTILINE)
    breaking = (entry for entry in entries if "**Breaking**" in entry)
    return {name for entry in breaking for name in re.findall(r"`([^`]+)`", entry)}


def unannounced(old: dict, new: dict, changelog: str) -> list[Break]:
    names = announced(changelog)
    return [change for change in breaks(old, new) if change.subject not in names]


def main(arguments: list[str]) -> int:
    if len(arguments) not in (0, 2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    old, new, changelog = (*map(Path, arguments), *(RELEASED, CURRENT, CHANGELOG)[len(arguments):])
    changes = unannounced(json.loads(old.read_text()), json.loads(new.read_text()), changelog.read_text())
    for change in changes:
        print(change)
    if changes:
        print(f"{len(changes)} breaking changes since {old} that {changelog.name} does not announce.")
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
