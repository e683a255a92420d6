"""Adds up the samples of `perf report` by the part of the server that they fell in, and prints the shares."""

import collections
import re
import sys

# The thread on which a connection to SQLite works, by the part of its name that the kernel keeps.
DATABASE = "sqlx-sqlite-wor"
# The threads of the server.
WATCHED = ("tokio-rt-worker", "flagstone", DATABASE)
# Parts by the names of functions; the first that fits counts.
PARTS = [
    ("memory, given out and taken back", r"\b_?mi_|malloc|\bfree\b|\bcfree|realloc|alloc::alloc"),
    ("bytes copied and compared", r"mem(cpy|move|set|cmp|chr)|_avx|_sse|_erms"),
    ("JSON", r"serde|_json|[Jj]son|\b(itoa|ryu|zmij)|ToJSON|ParseFromJSON"),
    ("statements and rows", r"sqlx|sea_orm|sea_query|sqlite3|\bstore::"),
    ("evaluation", r"yggdrasil|evaluation"),
    ("HTTP", r"hyper|poem|\bhttp::|h2::|httparse|flagstone_?.*\bapi::http"),
    ("tasks and their turns", r"tokio|futures|std::sync|parking|core::task"),
    ("the server's own code", r"flagstone"),
]


def part_of(comm: str, dso: str, symbol: str) -> str:
    """Names the part that a function belongs to."""
    if comm == DATABASE:
        return "database, in the kernel" if "kernel" in dso else "database"
    if "kernel" in dso:
        return "kernel: connections, turns of threads"
    return next((name for name, functions in PARTS if re.search(functions, symbol)), "else")


def main() -> None:
    samples: collections.Counter[str] = collections.Counter()
    for line in sys.stdin:
        fields = re.match(r"\s*[\d.]+%\s+(\d+)\s+(\S+)\s+(\S+)\s+\[[.k]\]\s+(.*)", line)
        if fields and fields[2] in WATCHED:
            samples[part_of(fields[2], fields[3], fields[4])] += int(fields[1])
    whole = sum(samples.values())
    for name, count in samples.most_common():
        print(f"|   {name} | {count / whole:.0%} |")


if __name__ == "__main__":
    main()
