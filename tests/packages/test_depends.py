"""The packages that the Debian package declares to need, derived from the program, against Debian's own tool."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import known

# Programs that need the C library and those that need another besides.
LINKED = ("/bin/true", "/usr/bin/sed", "/usr/bin/sort", "/usr/bin/gpgv", "/usr/bin/readelf", known.program())


def derived(program):
    """What packaging/steps/debian.sh says of a program, and its error."""
    script = "source tests/support/common.sh && source packaging/steps/debian.sh && needed_packages \"$1\""
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script, "bash", program], cwd=known.REPOSITORY,
                          capture_output=True, text=True, check=False)
    return (done.stdout.strip() if done.returncode == 0 else None), done.stderr


def by_debian(program):
    """What dpkg-shlibdeps says of it."""
    with tempfile.TemporaryDirectory() as place:
        (pathlib.Path(place) / "debian").mkdir()
        (pathlib.Path(place) / "debian/control").write_text("Source: a\n\nPackage: a\nArchitecture: any\n", encoding="utf-8")
        done = subprocess.run(["dpkg-shlibdeps", "-O", program], cwd=place, capture_output=True, text=True, check=False)
    return done.stdout.strip().removeprefix("shlibs:Depends=")


class Depends(unittest.TestCase):
    """Packages and their versions."""

    def test_they_are_those_of_debian(self):
        compared = 0
        for program in filter(None, LINKED):
            if not pathlib.Path(program).exists():
                continue
            wanted = by_debian(program)
            said, error = derived(program)
            if re.fullmatch(r"(libc6|libgcc-s1) \([^)]*\)(, (libc6|libgcc-s1) \([^)]*\))?|", wanted):
                self.assertEqual(said, wanted, program)
                compared += 1
            else:
                self.assertIsNone(said, f"{program} needs {wanted}")
                self.assertIn("it is not known which package has it", error)
        self.assertGreater(compared, 0)

    @unittest.skipUnless(os.environ.get("PACKAGES"), "nothing has been packaged")
    def test_the_package_declares_them(self):
        packages = pathlib.Path(os.environ["PACKAGES"])
        for file in packages.glob("flagstone_*_amd64.deb"):
            declared = subprocess.run(["dpkg-deb", "--field", file, "Depends"], check=True, capture_output=True, text=True).stdout
            needed = by_debian(packages / "program/x86_64/flagstone")
            self.assertEqual(declared.strip(), ", ".join(filter(None, ["adduser", needed])))


if __name__ == "__main__":
    unittest.main()
