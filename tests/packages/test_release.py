"""A release: its text, and the workflows that make it."""

import pathlib
import subprocess
import tempfile
import unittest

import yaml

import known

SCRIPT = known.REPOSITORY / "packaging/release/changelog"
WORKFLOWS = sorted((known.REPOSITORY / ".github/workflows").glob("*.yml"))
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


class Workflows(unittest.TestCase):
    """What runs elsewhere, by the linters of what runs it."""

    def test_actionlint_is_content(self):
        done = subprocess.run(["actionlint", "-no-color", *WORKFLOWS], capture_output=True, text=True, check=False,
                              cwd=known.REPOSITORY)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_zizmor_is_content(self):
        done = subprocess.run(["zizmor", "--offline", "--no-progress", "--color=never", "--persona=regular", *WORKFLOWS],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_what_they_run_is_there(self):
        for file in WORKFLOWS:
            jobs = yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"]
            commands = "\n".join(step.get("run", "") for job in jobs.values() for step in job["steps"])
            for word in commands.split():
                if word.startswith(("packaging/", "tests/", ".ci/")):
                    self.assertTrue((known.REPOSITORY / word).exists(), word)

    def test_nobody_may_do_more_than_they_need(self):
        for file in WORKFLOWS:
            workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
            self.assertEqual(workflow["permissions"], {}, f"{file.name}: each job says what it needs")


if __name__ == "__main__":
    unittest.main()
