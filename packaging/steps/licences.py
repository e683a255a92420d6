#!/usr/bin/env python3
"""Prints the licences of everything that is linked into the program, with the texts that their authors ship.

    packaging/steps/licences.py TARGET

A text that several crates share is printed once, below all their names.
"""

import json
import pathlib
import re
import subprocess
import sys

NAMES = re.compile(r"^(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)


def linked(target):
    """Names and versions of what `cargo tree` finds in the program."""
    tree = subprocess.run(
        ["cargo", "tree", "--locked", "--quiet", "--package", "flagstone", "--edges", "normal,no-proc-macro", "--target", target,
         "--prefix", "none", "--format", "{p}"],
        check=True, capture_output=True, text=True)
    return {tuple(line.split()[:2]) for line in tree.stdout.splitlines() if line.strip()}


def packages(target):
    """The packages in the program, from other hands."""
    metadata = json.loads(subprocess.run(
        ["cargo", "metadata", "--locked", "--quiet", "--format-version", "1", "--filter-platform", target],
        check=True, capture_output=True, text=True).stdout)
    wanted = linked(target)
    found = [p for p in metadata["packages"] if (p["name"], f"v{p['version']}") in wanted and p["source"]]
    return sorted(found, key=lambda p: (p["name"], p["version"]))


def texts(package):
    """The texts of its licences, by the file names that people give them."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = sorted(f for f in folder.iterdir() if f.is_file() and NAMES.match(f.name))
    return [f.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").strip() for f in files]


def main():
    """Prints a list of all, then each text once."""
    shared = {}
    print("Flagstone holds the following crates, each under the licence that its author gave it.\n")
    for package in packages(sys.argv[1]):
        name = f"{package['name']} {package['version']}"
        print(f"{name}: {package['license'] or 'see its text below'}")
        for text in texts(package):
            shared.setdefault(text, []).append(name)
    for text, names in shared.items():
        print(f"\n{'=' * 100}\n{', '.join(names)}\n{'=' * 100}\n\n{text}")


if __name__ == "__main__":
    main()
