"""Counts the instructions that a server under callgrind takes for requests, and compares them with figures.tsv.

Each request is sent some times uncounted first. Then it is counted in rounds, of which the cheapest is taken: whatever
the server does by itself meanwhile only adds to one.
"""

import argparse
import collections.abc
import dataclasses
import itertools
import pathlib
import platform
import re
import subprocess
import sys
import time

from world import ADMIN, CLIENT, FRONTEND, VALIDATED, Server, export, flag

FIGURES = pathlib.Path(__file__).with_name("figures.tsv")
# By how much a figure may differ from its last one, in percent.
MOST_PERCENT = 3
ROUNDS = 5
# Seconds in which the server ends what it still does for a request that it has answered.
REST = 0.1
# What runs the background jobs.
JOBS = "flagstone_jobs::start::{{closure}}"
# Seconds in which the server does what it does after a start, and those of which its work without requests is counted.
SETTLING, IDLE = 5, 3

project = "/api/admin/projects/checkout"
change_numbers = itertools.count(100)


def change(server: Server) -> int:
    """Changes the description of a feature, to a text of the same length each time."""
    operations = [{"op": "replace", "path": "/description", "value": f"change {next(change_numbers)}"}]
    return server.send("PATCH", f"{project}/features/{flag(0, 5)}", ADMIN, operations).status


@dataclasses.dataclass
class Kind:
    """A kind of request, which is sent so many times in each round, after the preparation of that round."""

    name: str
    send: collections.abc.Callable[[Server], int]
    times: int = 4
    prepare: collections.abc.Callable[[Server], object] = lambda server: None
    status: int = 200


def get(name: str, path: str, times: int = 4) -> Kind:
    return Kind(name, lambda server: server.send("GET", path, ADMIN).status, times)


def first(name: str, path: str, token: str = ADMIN) -> Kind:
    """The first such request after a change."""
    return Kind(name, lambda server: server.send("GET", path, token).status, 1, change)


def known(server: Server) -> int:
    """Asks for the features of a program that has them already."""
    return server.send("GET", FEATURES, CLIENT, If_None_Match=tags["features"]).status


def learn(server: Server) -> None:
    tags["features"] = server.send("GET", FEATURES, CLIENT).headers["ETag"]


FEATURES = "/api/client/features"
SEARCH = "/api/admin/search/features"
tags: dict[str, str] = {}
validated = export(0, "production", VALIDATED)

# Those that change something last, so that nothing follows from it for the others.
KINDS = [
    Kind(
        f"validation of an import, {VALIDATED} features",
        lambda server: server.send("POST", "/api/admin/features-batch/validate", ADMIN, validated).status,
        2,
    ),
    get("feature search, first page", SEARCH),
    get("feature search, text", f"{SEARCH}?query=carousel"),
    get(
        "feature search, filters",
        f"{SEARCH}?project=IS%3Acatalog&type=IS_ANY_OF%3Arelease%2Cexperiment&state=IS%3Aactive&tag=INCLUDE%3Ateam%3Aalpha",
    ),
    get("feature search, deep page", f"{SEARCH}?offset=120"),
    get("features of a project", f"{project}/features", 20),
    get("project overview", project, 20),
    get("health report", f"{project}/health-report", 20),
    get("event search, first page", "/api/admin/search/events"),
    get("event search, rare text", f"/api/admin/search/events?query={flag(1, 7)}"),
    Kind("client features", lambda server: server.send("GET", FEATURES, CLIENT).status, 20),
    Kind("client features, unchanged", known, 40, learn, 304),
    Kind("client features, delta", lambda server: server.send("GET", "/api/client/delta", CLIENT).status, 10),
    Kind(
        "evaluation for a browser",
        lambda server: server.send("GET", "/api/frontend?userId=user-7&properties[region]=north", FRONTEND).status,
        10,
    ),
    Kind("PATCH of a feature", change),
    first("features of a project, after a change", f"{project}/features"),
    first("project overview, after a change", project),
    first("client features, after a change", FEATURES, CLIENT),
]


class Counter:
    """Callgrind in the process of the server."""

    def __init__(self, process: int, prefix: str, profiles: pathlib.Path) -> None:
        self.command = ["vgdb", f"--pid={process}", f"--vgdb-prefix={prefix}"]
        self.profiles = profiles
        self.parts = 0

    def tell(self, *words: str) -> None:
        done = subprocess.run([*self.command, *words], capture_output=True, text=True, timeout=120, check=False)
        if done.returncode:
            raise SystemExit(f"callgrind does not take '{' '.join(words)}': {done.stderr or done.stdout}")

    def begin(self) -> None:
        self.tell("zero")
        self.since = time.monotonic()

    def end(self) -> tuple[int, float, pathlib.Path]:
        """The instructions since the beginning, without those of background jobs, the seconds, and the profile."""
        time.sleep(REST)
        self.tell("dump")
        took = time.monotonic() - self.since
        self.parts += 1
        profile = self.profiles / f"profile.{self.parts}"
        text = profile.read_text(encoding="utf-8")
        found = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
        if not found:
            raise SystemExit(f"{profile} has no sum")
        return int(found[1]) - within(text, JOBS), took, profile


def within(profile: str, function: str) -> int:
    """The instructions of a function and of all that it calls, of a profile of callgrind, which names each function once
    and numbers it, and has the sum of a call in the line after `calls`."""
    number = re.search(rf"^c?fn=\((\d+)\) {re.escape(function)}$", profile, re.MULTILINE)
    if not number:
        return 0
    calls = rf"^cfn=\({number[1]}\).*\ncalls=.*\n\S+ (\d+)$"
    return sum(int(found) for found in re.findall(calls, profile, re.MULTILINE))


def count_idle(counter: Counter) -> float:
    """The instructions of a second without requests and background jobs. From here on the server is slow."""
    if (status := Server().send("GET", "/health", ADMIN).status) != 200:
        raise SystemExit(f"/health was answered {status}")
    time.sleep(SETTLING)
    counter.tell("instrumentation on")
    counter.begin()
    time.sleep(IDLE)
    sum_of, took, profile = counter.end()
    if not within(profile.read_text(encoding="utf-8"), JOBS):
        raise SystemExit(f"{JOBS} does not run: it must be what runs the background jobs, which are not counted")
    profile.unlink()
    return sum_of / took


def count(kind: Kind, counter: Counter, idle: float) -> float:
    """Thousands of instructions for one request; `idle` are those of a second without any."""
    server = Server()

    def ask() -> None:
        if (status := kind.send(server)) != kind.status:
            raise SystemExit(f"{kind.name} was answered {status}")

    rounds = []
    kind.prepare(server)
    ask()
    for _ in range(ROUNDS):
        kind.prepare(server)
        if kind.times > 1:
            ask()
        time.sleep(REST)
        counter.begin()
        for _ in range(kind.times):
            ask()
        sum_of, took, profile = counter.end()
        rounds.append(((sum_of - idle * took) / kind.times, profile))
    cheapest, kept = min(rounds)
    for _, profile in rounds:
        if profile != kept:
            profile.unlink()
    kept.rename(kept.with_name(re.sub(r"\W+", "-", kind.name)))
    return cheapest / 1000


def machine() -> str:
    """What the figures depend on besides the program."""
    said = [
        subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        for program in ("rustc", "valgrind")
    ]
    flags = re.findall(r"\b(?:avx2|avx|sse4_2)\b", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    best = min(flags, default="", key=("avx2", "avx", "sse4_2").index)
    return ", ".join([*said, " ".join(platform.libc_ver()), f"{platform.machine()} {best}".strip()])


def read() -> tuple[str, dict[str, float]]:
    if not FIGURES.exists():
        return "", {}
    head, *lines = FIGURES.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if not line.startswith("#")]
    return head.removeprefix("# "), {name: float(figure) for name, figure in pairs}


def write(counted: dict[str, float]) -> None:
    lines = [f"# {machine()}", "# Thousands of instructions for a request. `tests/cost/run --accept` writes this file."]
    lines += [f"{name}\t{figure:.0f}" for name, figure in counted.items()]
    FIGURES.write_text("\n".join([*lines, ""]), encoding="utf-8")


def judge(name: str, figure: float, before: float | None) -> tuple[str, bool]:
    """The end of the line about a request, and whether it is well."""
    if before is None:
        return "is new: accept it", False
    percent = (figure / before - 1) * 100
    if percent > MOST_PERCENT:
        return f"{percent:+.1f} %: FAILED, it rose", False
    return f"{percent:+.1f} %" + (": it fell, accept it" if percent < -MOST_PERCENT else ""), True


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", type=int, required=True)
    parser.add_argument("--profiles", type=pathlib.Path, required=True)
    parser.add_argument("--vgdb-prefix", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--accept", action="store_true")
    asked = parser.parse_args()
    counter = Counter(asked.server, asked.vgdb_prefix, asked.profiles)
    idle = count_idle(counter)
    print(f"Without requests and jobs {idle / 1000:.0f} thousand instructions a second, which are not counted below.\n")
    there, figures = read()
    counted: dict[str, float] = {}
    failed = 0
    print(f"{'Request, in thousands of instructions':48} {'counted':>9} {'before':>9}")
    for kind in KINDS:
        if asked.only in kind.name:
            figure = counted[kind.name] = count(kind, counter, idle)
            before = figures.get(kind.name)
            verdict, is_well = judge(kind.name, figure, before)
            failed += not is_well
            print(f"{kind.name:48} {figure:9,.0f} {before or 0:9,.0f}  {verdict}", flush=True)
    gone = [] if asked.only else [name for name in figures if name not in counted]
    for name in gone:
        failed += 1
        print(f"{name:48} {'':9} {figures[name]:9,.0f}  is not counted any more: accept it")
    if asked.accept:
        write(counted)
        print(f"\nWritten to {FIGURES.relative_to(FIGURES.parents[2])}.")
        failed = 0
    elif there != machine():
        print(f"\nThese are figures of {machine()}; the ones before are of {there}. So this only shows them.")
        failed = 0
    elif failed:
        print("\nWhere a rise is meant, `tests/cost/run --accept` accepts it, and the commit says why.")
    print(f"{len(counted) + len(gone) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
