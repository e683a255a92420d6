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


def documented_secrets(command):
    """Variables with a secret that can be in a file, as docs/operations.md lists them."""
    text = (REPOSITORY / "docs/operations.md").read_text(encoding="utf-8")
    paragraph = text.split("### Secrets from files")[1].split("\n\n")[1]
    server, edge = paragraph.split("and of an edge")
    edge, both = edge.split("Both have")
    both = both.split(";")[0]
    listed = {"serve": server + both, "edge": edge + both}[command]
    return {name.removesuffix("_FILE") for name in re.findall(r"`([A-Z0-9_]+_FILE)`", listed)}


def secrets(command):
    """The same by the program's own word, which is asked about each documented variable; from the document without it."""
    listed = documented_secrets(command)
    if program() is None:
        return listed
    # Before its settings docs/edge.md lists those of another program.
    edge = (REPOSITORY / "docs/edge.md").read_text(encoding="utf-8").split("## Settings")[1]
    names = documented("docs/operations.md", "docs/sign-in.md") | set(re.findall(r"`([A-Z][A-Z0-9_]{3,})`", edge)) | listed
    files = {f"{name}_FILE": "/nonexistent" for name in names if not name.endswith("_FILE")}
    arguments = ["config", "check", *(["--edge"] if command == "edge" else [])]
    said = subprocess.run([program(), *arguments], env={**os.environ, **files}, check=False, capture_output=True, text=True)
    return set(re.findall(r"([A-Z0-9_]+)_FILE: /nonexistent", said.stdout + said.stderr))


def takes(command, variable):
    """Whether a command takes the variable, or the secret in a file that it names."""
    known = variables(command) | secrets(command)
    return variable in known or variable.removesuffix("_FILE") in known
