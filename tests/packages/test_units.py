"""The units, by systemd's own tools, and the files that they name."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import known

PACKAGING = known.REPOSITORY / "packaging"
UNITS = ("flagstone", "flagstone-edge")


class Units(unittest.TestCase):
    """Without a running systemd."""

    def test_they_hold(self):
        """As installed: the program is where they say."""
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            units = root / "usr/lib/systemd/system"
            shutil.copytree("/lib/systemd/system", units, symlinks=True)
            (root / "usr/bin").mkdir()
            program = root / "usr/bin/flagstone"
            program.write_text("#!/bin/sh\n", encoding="utf-8")
            program.chmod(0o755)
            (root / "lib").symlink_to("usr/lib")
            for unit in UNITS:
                shutil.copy(PACKAGING / f"debian/{unit}.service", units)
                done = subprocess.run(
                    ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", f"--root={scratch}",
                     f"/usr/lib/systemd/system/{unit}.service"],
                    capture_output=True, text=True, check=False)
                said = [line for line in done.stderr.splitlines() if unit in line]
                self.assertEqual((done.returncode, said), (0, []), done.stderr)

    def test_they_are_confined(self):
        for unit in UNITS:
            done = subprocess.run(
                ["systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager",
                 PACKAGING / f"debian/{unit}.service"],
                capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_they_are_rated_as_documented(self):
        """By the version of systemd that docs/installing.md names; others rate by other lists."""
        text = (known.REPOSITORY / "docs/installing.md").read_text(encoding="utf-8")
        version, rating = re.search(r"of systemd (\d+) rates its exposure ([\d.]+) of 10", text.replace("\n", " ")).groups()
        said = subprocess.run(["systemd-analyze", "--version"], check=True, capture_output=True, text=True).stdout
        if said.split()[1] != version:
            self.skipTest(f"this is not systemd {version}")
        for unit in UNITS:
            said = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager",
                                   PACKAGING / f"debian/{unit}.service"], check=True, capture_output=True, text=True).stdout
            self.assertEqual(re.search(r"Overall exposure level for \S+: ([\d.]+)", said)[1], rating, unit)

    def test_what_they_set_is_known(self):
        for unit, command in zip(UNITS, ("serve", "edge"), strict=True):
            text = (PACKAGING / f"debian/{unit}.service").read_text(encoding="utf-8")
            self.assertIn(f"ExecStart=/usr/bin/flagstone {command}\n", text)
            for name in re.findall(r"^Environment=([A-Z_]+)=", text, re.MULTILINE):
                # The file is read from the version on that has --config; before, its three lines are the defaults.
                if name != "FLAGSTONE_CONFIG":
                    self.assertIn(name, known.variables(command))
        defaults = (PACKAGING / "debian/flagstone-edge.default").read_text(encoding="utf-8")
        for name in re.findall(r"^#?([A-Z_]+)=", defaults, re.MULTILINE):
            self.assertIn(name, known.variables("edge"))

    def test_the_configuration_has_names_of_options(self):
        text = (PACKAGING / "debian/flagstone.toml").read_text(encoding="utf-8")
        names = re.findall(r"^([a-z-]+) = ", text, re.MULTILINE)
        self.assertGreaterEqual(len(names), 3)
        rows = (known.REPOSITORY / "docs/operations.md").read_text(encoding="utf-8")
        for name in names:
            self.assertIn(f"`--{name}`", rows)


if __name__ == "__main__":
    unittest.main()
