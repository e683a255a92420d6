"""The lists of what packages hold, compared with Cargo.lock and with what Cargo says is linked."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import tomllib
import unittest

import known

PACKAGES = pathlib.Path(os.environ.get("PACKAGES", ""))
# What the archive, the Debian package and the image are called.
KINDS = ("*-linux.tar.gz", "*.deb", "*.docker.tar.gz")


def artefacts():
    """The packages that hold the program."""
    found = [file for kind in KINDS for file in PACKAGES.glob(kind)]
    return sorted(found)


def read(artefact):
    """The list beside a package."""
    return json.loads(artefact.with_name(f"{artefact.name}.cdx.json").read_text(encoding="utf-8"))


def linked(bom, edges="normal"):
    """What `cargo tree` finds in the program for the target that the list is about."""
    target = next(p["value"] for p in bom["metadata"]["properties"] if p["name"] == "cdx:rustc:sbom:target:triple")
    tree = subprocess.run(
        ["cargo", "tree", "--locked", "--quiet", "--package", "flagstone", "--edges", edges, "--target", target, "--prefix",
         "none", "--format", "{p}"], check=True, capture_output=True, text=True, cwd=known.REPOSITORY).stdout
    return {(name, version.removeprefix("v")) for name, version, *_ in
            (line.split() for line in tree.splitlines() if line.strip())}


def crates(bom):
    """The crates in a list."""
    return [c for c in bom["components"] if c["purl"].startswith("pkg:cargo/")]


class Lists(unittest.TestCase):
    """One beside each package."""

    def test_each_package_has_one(self):
        self.assertEqual(len(artefacts()), 3, artefacts())
        numbers = set()
        for artefact in artefacts():
            bom = read(artefact)
            self.assertEqual((bom["bomFormat"], bom["specVersion"]), ("CycloneDX", "1.5"))
            digest = hashlib.sha256(artefact.read_bytes()).hexdigest()
            self.assertEqual(bom["metadata"]["component"]["hashes"], [{"alg": "SHA-256", "content": digest}])
            self.assertRegex(bom["serialNumber"], r"^urn:uuid:[0-9a-f-]{36}$")
            numbers.add(bom["serialNumber"])
        self.assertEqual(len(numbers), 3)

    def test_it_lists_exactly_what_is_linked(self):
        for artefact in artefacts():
            bom = read(artefact)
            listed = {(c["name"], c["version"]) for c in crates(bom)}
            listed.add((bom["metadata"]["component"]["name"], bom["metadata"]["component"]["version"]))
            wanted = linked(bom)
            self.assertGreater(len(wanted), 300)
            self.assertEqual(listed, wanted)
            self.assertEqual(len(crates(bom)) + 1, len(listed), "one component is listed twice")

    def test_hashes_are_those_of_the_lock_file(self):
        lock = tomllib.loads((known.REPOSITORY / "Cargo.lock").read_text(encoding="utf-8"))["package"]
        checksums = {(p["name"], p["version"]): p.get("checksum") for p in lock}
        for artefact in artefacts():
            for component in crates(read(artefact)):
                key = (component["name"], component["version"])
                self.assertIn(key, checksums)
                if checksums[key]:
                    self.assertEqual(component["hashes"], [{"alg": "SHA-256", "content": checksums[key]}], key)

    def test_licences_are_there(self):
        for artefact in artefacts():
            for component in read(artefact)["components"]:
                self.assertTrue(component["licenses"][0].get("expression") or component["licenses"][0]["license"],
                                component["name"])

    def test_what_is_no_crate_is_listed_too(self):
        others = {c["name"] for c in read(artefacts()[0])["components"] if not c["purl"].startswith("pkg:cargo/")}
        self.assertLessEqual({"sqlite", "mimalloc", "redoc", "swagger-ui-dist", "react", "@mantine/core"}, others)

    def test_references_lead_somewhere(self):
        bom = read(artefacts()[0])
        references = [c["bom-ref"] for c in bom["components"]] + [bom["metadata"]["component"]["bom-ref"]]
        self.assertEqual(len(references), len(set(references)))
        for dependency in bom["dependencies"]:
            self.assertIn(dependency["ref"], references)
            self.assertLessEqual(set(dependency["dependsOn"]), set(references))

    def test_no_path_of_a_machine_is_in_it(self):
        for artefact in artefacts():
            text = json.dumps(read(artefact))
            for path in (str(known.REPOSITORY), os.path.expanduser("~"), os.environ["SCRATCH"], "/tmp/"):
                self.assertNotIn(path, text)


class Texts(unittest.TestCase):
    """The texts of licences, which go along with the program."""

    def test_each_crate_is_named(self):
        text = (PACKAGES / "container/amd64/THIRD-PARTY-LICENCES.txt").read_text(encoding="utf-8")
        # But for those that run while it is compiled and are not in the program.
        for name, version in linked(read(artefacts()[0]), "normal,no-proc-macro"):
            if not name.startswith("flagstone"):
                self.assertRegex(text, rf"(?m)^{re.escape(name)} {re.escape(version)}: \S")

    def test_there_are_many_texts(self):
        text = (PACKAGES / "container/amd64/THIRD-PARTY-LICENCES.txt").read_text(encoding="utf-8")
        self.assertGreater(text.count("Permission is hereby granted"), 50)


class Binary(unittest.TestCase):
    """What the program tells of where it was made."""

    def test_no_path_of_a_machine_is_in_it(self):
        program = (PACKAGES / "program/x86_64/flagstone").read_bytes()
        for path in (str(known.REPOSITORY), os.path.expanduser("~/.cargo")):
            self.assertFalse(path.encode() in program, path)


if __name__ == "__main__":
    unittest.main()
