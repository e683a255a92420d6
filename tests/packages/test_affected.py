"""What the gate leaves out for a change: `.ci/affected`, by the table in `.ci/paths`."""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import known

CI = known.REPOSITORY / ".ci"
EVERYTHING = {"everything"}
DOCUMENTS = {"packaging", "quickstarts", "sqlite"}


def affected(*paths):
    """The checks that changes of these paths can break."""
    return set(subprocess.run([CI / "affected", *paths], check=True, capture_output=True, text=True).stdout.split())


def rows():
    """The table: a pattern and its checks."""
    lines = (CI / "paths").read_text(encoding="utf-8").splitlines()
    return [(pattern, checks) for pattern, *checks in (line.split() for line in lines if line and not line.startswith("#"))]


class Classes(unittest.TestCase):
    """The classes of changes."""

    def test_a_document_breaks_what_reads_documents(self):
        for path in ("docs/architecture.md", "docs/security/saml.md"):
            self.assertEqual(affected(path), DOCUMENTS, path)
        self.assertEqual(affected("CONTRIBUTING.md"), DOCUMENTS - {"packaging"})
        self.assertEqual(affected("README.md"), DOCUMENTS | {"browser"})
        self.assertEqual(affected("CHANGELOG.md"), DOCUMENTS | {"contract"})
        self.assertEqual(affected("docs/pictures/switch.webp"), {"quickstarts"})

    def test_the_console_breaks_itself_and_the_program_that_serves_it(self):
        for path in ("console/src/main.tsx", "console/dist/index.html", "console/dist/licences.md", "console/package-lock.json"):
            self.assertEqual(affected(path), {"console", "sqlite"}, path)

    def test_several_paths_break_what_each_of_them_breaks(self):
        self.assertEqual(affected("console/src/main.tsx", "docs/edge.md"), DOCUMENTS | {"console"})

    def test_whatever_else_breaks_everything(self):
        for path in ("src/lib.rs", "Cargo.lock", "openapi/flagstone.json", "openapi/operations.md", "tests/run", ".ci/paths",
                     ".github/workflows/ci.yml", "docs/console.mjs", "tests/data/vendors/README.md", "new.md", "new/file"):
            self.assertEqual(affected(path), EVERYTHING, path)
            self.assertEqual(affected("docs/edge.md", path, "console/index.html"), EVERYTHING, path)
        self.assertEqual(affected(), EVERYTHING, "nothing has changed")


class Table(unittest.TestCase):
    """The table itself."""

    def test_it_names_checks_that_the_gate_has(self):
        parts = re.search(r"^readonly parts=\((.*?)\)", (known.REPOSITORY / "tests/run").read_text(encoding="utf-8"), re.M | re.S)
        for pattern, checks in rows():
            self.assertTrue(checks, pattern)
            self.assertLessEqual(set(checks), {"packaging", *parts[1].split()}, pattern)

    def test_every_row_is_about_something(self):
        for pattern, _ in rows():
            self.assertTrue(any(known.REPOSITORY.glob(pattern)), pattern)


class Since(unittest.TestCase):
    """What has changed since a revision, in a repository of its own."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)
        (self.place / ".ci").mkdir()
        for name in ("affected", "paths"):
            shutil.copy(CI / name, self.place / ".ci" / name)
        self.git("init", "--quiet", "--initial-branch=main")
        self.write("docs/edge.md", "src/lib.rs")
        self.commit()
        self.git("switch", "--quiet", "--create=change")

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", *arguments],
                       cwd=self.place, check=True)

    def write(self, *paths):
        for path in map(self.place.joinpath, paths):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{path}\n", encoding="utf-8")

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=Change")

    def since(self, revision):
        return subprocess.run([".ci/affected", "--since", revision], cwd=self.place, check=False, capture_output=True, text=True)

    def affected(self):
        return set(self.since("main").stdout.split())

    def test_what_main_changed_meanwhile_does_not_count(self):
        self.write("docs/new.md")
        self.commit()
        self.git("switch", "--quiet", "main")
        self.write("src/main.rs")
        self.commit()
        self.git("switch", "--quiet", "change")
        self.assertEqual(self.affected(), DOCUMENTS)

    def test_what_is_not_committed_counts(self):
        self.assertEqual(self.affected(), EVERYTHING, "nothing has changed")
        (self.place / "docs/edge.md").write_text("Other words\n", encoding="utf-8")
        self.assertEqual(self.affected(), DOCUMENTS)
        self.write("console/index.html")
        self.assertEqual(self.affected(), DOCUMENTS | {"console"})

    def test_a_path_that_is_gone_counts(self):
        self.git("mv", "src/lib.rs", "docs/lib.md")
        self.commit()
        self.assertEqual(self.affected(), EVERYTHING)

    def test_an_unknown_revision_is_refused(self):
        done = self.since("nowhere")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("since nowhere", done.stderr)


if __name__ == "__main__":
    unittest.main()
