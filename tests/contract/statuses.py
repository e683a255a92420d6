#!/usr/bin/env python3
"""Lists the statuses that the document publishes and no test has seen.

    FLAGSTONE_SEEN_STATUSES=/tmp/seen cargo test --test api
    tests/contract/statuses.py /tmp/seen

413, 415 and 503 come from one place for all operations (src/api/body.rs, src/error/lib.rs), whose own tests see them.
"""

import collections
import json
import sys
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[2] / "openapi" / "flagstone.json"
EVERYWHERE = {"413", "415", "503"}


def unseen(document: dict, lines: list[str]) -> dict[str, list[str]]:
    """Operation ids by status, of those that no line has as `operationId status`."""
    seen = {tuple(line.split()) for line in lines}
    missing = collections.defaultdict(list)
    for item in document["paths"].values():
        for operation in item.values():
            for status in operation["responses"]:
                if status not in EVERYWHERE and (operation["operationId"], status) not in seen:
                    missing[status].append(operation["operationId"])
    return missing


def main() -> None:
    lines = Path(sys.argv[1]).read_text().splitlines()
    missing = unseen(json.loads(DOCUMENT.read_text()), lines)
    for status in sorted(missing):
        print(f"{status} ({len(missing[status])}):", *sorted(missing[status]))


if __name__ == "__main__":
    main()
