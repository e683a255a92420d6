"""The text of a release: the section of its version in the changelog."""

import subprocess
import tempfile
import unittest

import known

SCRIPT = known.REPOSITORY / "packaging/release/changelog"
CHANGELOG = """# Changelog

## Unreleased

- Not yet.

## [1.2.0] - 2026-02-01

### Added

- A thing.

  With a second paragraph.

### Fixed

- Another.

## 1.1.0

- Older. Not ## 1.2.0.

## 1.0.0
"""


def section(version, text=CHANGELOG):
    """What the script says about a version."""
    with tempfile.NamedTemporaryFile("w", suffix=".md", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        return subprocess.run([SCRIPT, version, file.name], capture_output=True, text=True, check=False)


class Changelog(unittest.TestCase):
    """The section of a version."""

    def test_the_section_and_nothing_else(self):
        self.assertEqual(section("1.2.0").stdout,
                         "### Added\n\n- A thing.\n\n  With a second paragraph.\n\n### Fixed\n\n- Another.\n")
        self.assertEqual(section("1.1.0").stdout, "- Older. Not ## 1.2.0.\n")

    def test_what_is_not_there_fails_in_words(self):
        # One that is empty, one that never was, and one whose name would match as a pattern.
        for version in ("1.0.0", "9.9.9", "1.2", "1x2.0"):
            done = section(version)
            self.assertEqual((done.returncode, done.stdout), (1, ""), version)
            self.assertIn(f"no section about {version}", done.stderr)

    def test_our_own_changelog(self):
        done = subprocess.run([SCRIPT, "Unreleased"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("### Breaking", done.stdout)


if __name__ == "__main__":
    unittest.main()
