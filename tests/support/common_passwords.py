#!/usr/bin/env python3
"""Writes the digests of common passwords that src/domain/password/common.rs reads.

    common_passwords.py src/domain/password/common_digests <LIST

LIST has a password on each line, in lower case. What is written is the first 32 bits of SHA-256 of each, and of the letters
that are left of it without what stands before and after them; sorted. Nobody reads a password from that.
"""

import hashlib
import re
import sys

entries = set()
for line in sys.stdin:
    password = line.rstrip("\n")
    core = re.sub(r"^[^a-z]+|[^a-z]+$", "", password)
    entries.update(text for text in (password, core) if len(text) >= 4)
digests = sorted({hashlib.sha256(text.encode()).digest()[:4] for text in entries})
with open(sys.argv[1], "wb") as file:
    file.write(b"".join(digests))
