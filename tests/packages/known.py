"""The options and variables that the program knows, by its own word."""

import os
import pathlib
import re
import subprocess

REPOSITORY = pathlib.Path(__file__).parents[2]


def program():
    """The program to ask; None where there is none, as in the lints of the gate."""
    given = os.environ.get("FLAGSTONE_BINARY")
    made = pathlib.Path(os.environ.get("PACKAGES", "/nowhere")) / "program/x86_64/flagstone"
    return given or (str(made) if made.exists() else None)


def helped(command):
    """Options and variables in `--help` of a command."""
    text = subprocess.run([program(), command, "--help"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"--[a-z][a-z0-9-]+", text)), set(re.findall(r"\[env: ([A-Z][A-Z0-9_]*)=", text))


def documented(*files):
    """Variables in the tables of documents: those that are no option as well are only there."""
    found = set()
    for file in files:
        for line in (REPOSITORY / file).read_text(encoding="utf-8").splitlines():
            if line.startswith("|"):
                found |= set(re.findall(r"`([A-Z][A-Z0-9_]{3,})`", line))
    return found


def variables(command):
    """The variables that a command takes: `serve` or `edge`."""
    if program() is None:
        return documented("docs/operations.md", "docs/edge.md", "docs/sign-in.md")
    # What `check` asks is said in the same container.
    known = helped(command)[1] | helped("check")[1]
    documents = ["docs/operations.md"] if command == "serve" else ["docs/edge.md"]
    return known | {name for name in documented(*documents) if not name.endswith("_")}
