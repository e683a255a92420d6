"""The table of values in the chart's README, made of values.yaml and values.schema.json.

    chart_values.py    writes it
"""

import json
import pathlib

import yaml

CHART = pathlib.Path(__file__).parents[2] / "packaging/helm/flagstone"
HEADING = "## Values\n\n"


def leaves(values, schema, path=()):
    """Each value that can be set: its path, its default, what the schema says of it."""
    for name, value in values.items():
        its = schema["properties"][name]
        if "properties" in its:
            yield from leaves(value, its, (*path, name))
        else:
            yield ".".join((*path, name)), value, its["description"]


def read():
    """The defaults and the schema."""
    return (yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8")),
            json.loads((CHART / "values.schema.json").read_text(encoding="utf-8")))


def shown(value):
    """A default as a reader writes it."""
    if value == "":
        return ""
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list, bool)) else str(value)
    return f"`{text}`"


def table():
    """The lines of the table."""
    rows = [f"| `{name}` | {shown(value)} | {description} |" for name, value, description in leaves(*read())]
    return "\n".join(["| Value | Default | Meaning |", "|---|---|---|", *rows, ""])


def readme():
    """What the README should be."""
    head = (CHART / "README.md").read_text(encoding="utf-8").split(HEADING)[0]
    return head + HEADING + table()


if __name__ == "__main__":
    (CHART / "README.md").write_text(readme(), encoding="utf-8")
