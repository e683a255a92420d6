"""The scripts of packaging."""

import pathlib
import subprocess
import unittest

import known


def scripts():
    """Everything in packaging and here that a shell reads."""
    for folder in ("packaging", "tests/packages"):
        for file in sorted((known.REPOSITORY / folder).rglob("*")):
            if file.is_file() and "node_modules" not in file.parts and (file.suffix == ".sh" or file.read_bytes()[:9] in (b"#!/bin/sh", b"#!/usr/bi")):
                if b"python" not in file.read_bytes()[:30]:
                    yield file


class Scripts(unittest.TestCase):
    """By ShellCheck."""

    def test_shellcheck_is_content(self):
        files = [file.relative_to(known.REPOSITORY) for file in scripts()]
        self.assertIn(pathlib.Path("packaging/debian/postinst"), files)
        self.assertIn(pathlib.Path("packaging/run"), files)
        done = subprocess.run(["shellcheck", "--external-sources", *files], cwd=known.REPOSITORY, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_an_unknown_step_is_refused(self):
        for arguments in (["rpm"], ["--arch", "sparc", "binary"]):
            done = subprocess.run(["packaging/run", *arguments], cwd=known.REPOSITORY, capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("packaging/run", done.stdout)


if __name__ == "__main__":
    unittest.main()
