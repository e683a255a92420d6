#!/usr/bin/env python3
"""Makes of what cargo-cyclonedx lists a list of what the program holds.

    sbom.py complete LIST SOURCES TARGET    leaves out what is not linked, adds what is not a crate
    sbom.py beside LIST ARTEFACT            the same list as that of one artefact, with its hash
"""

import hashlib
import json
import pathlib
import re
import subprocess
import sys
import uuid

# A name of our own, from which the numbers of the lists are made: the same list has the same number.
NUMBERS = uuid.UUID("0f8b1f9e-6a0e-4f4b-9d9a-5a8f6e7c2d11")


def linked(sources, target):
    """Names and versions of the crates that the program is made of."""
    tree = subprocess.run(
        ["cargo", "tree", "--locked", "--quiet", "--package", "flagstone", "--edges", "normal", "--target", target,
         "--prefix", "none", "--format", "{p}"],
        cwd=sources, check=True, capture_output=True, text=True)
    return {tuple(line.split()[:2]) for line in tree.stdout.splitlines() if line.strip()}


def manifests(sources):
    """The packages of Cargo.lock as Cargo describes them."""
    metadata = subprocess.run(["cargo", "metadata", "--locked", "--quiet", "--format-version", "1"],
                              cwd=sources, check=True, capture_output=True, text=True)
    metadata = json.loads(metadata.stdout)
    chosen = {node["id"]: node["features"] for node in metadata["resolve"]["nodes"]}
    return {(p["name"], f"v{p['version']}"): {**p, "chosen": chosen[p["id"]]} for p in metadata["packages"]}


def library(name, version, licence, purl, **more):
    """A component that is no crate."""
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "scope": "required",
            "licenses": [{"expression": licence}], "purl": purl, **more}


def defined(folder, name, file, pattern):
    """What a header inside a crate says of its version."""
    text = next(pathlib.Path(folder).rglob(file)).read_text(encoding="utf-8")
    found = re.search(pattern, text)
    if not found:
        raise SystemExit(f"{file} of {name} does not tell its version")
    return found[1]


def in_c(crates):
    """The C programs that crates bring along as sources."""
    for (name, _), crate in crates.items():
        folder = pathlib.Path(crate["manifest_path"]).parent
        if name == "libsqlite3-sys":
            version = defined(folder / "sqlite3", "SQLite", "sqlite3.h", r'#define SQLITE_VERSION +"([0-9.]+)"')
            yield library("sqlite", version, "blessing", f"pkg:generic/sqlite@{version}")
        if name == "libmimalloc-sys":
            header = folder / "c_src/mimalloc" / ("v2" if "v2" in crate["chosen"] else "v3")
            number = int(defined(header, "mimalloc", "mimalloc.h", r"#define MI_MALLOC_VERSION +(\d+)"))
            version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
            yield library("mimalloc", version, "MIT", f"pkg:generic/mimalloc@{version}")


def in_pages(sources):
    """The libraries of the embedded pages, as their READMEs and the licences of the console name them."""
    for folder, name, licence in (("redoc", "redoc", "MIT"), ("swagger-ui", "swagger-ui-dist", "Apache-2.0")):
        text = (sources / folder / "README.md").read_text(encoding="utf-8")
        version = re.search(rf"([0-9]+\.[0-9]+\.[0-9]+), from the npm package `{name}`", text)[1]
        yield library(name, version, licence, f"pkg:npm/{name}@{version}")
    bundled = (sources / "console/dist/licences.md").read_text(encoding="utf-8")
    for name, version, its in re.findall(r"^## (\S+) - (\S+) \((.+)\)$", bundled, re.MULTILINE):
        yield library(name, version, its, f"pkg:npm/{name.replace('@', '%40', 1)}@{version}")


def crate(package, checksums):
    """A crate that cargo-cyclonedx leaves out, in its form."""
    key = (package["name"], package["version"])
    added = library(*key, (package["license"] or "NOASSERTION").replace("/", " OR "), f"pkg:cargo/{key[0]}@{key[1]}",
                    description=package["description"] or "")
    if key in checksums:
        added["hashes"] = [{"alg": "SHA-256", "content": checksums[key]}]
    return added


def lock_checksums(sources):
    """The hashes that Cargo.lock holds, by name and version."""
    text = (sources / "Cargo.lock").read_text(encoding="utf-8")
    pattern = r'name = "([^"]+)"\nversion = "([^"]+)"\nsource = "[^"]+"\nchecksum = "([0-9a-f]+)"'
    return {(name, version): checksum for name, version, checksum in re.findall(pattern, text)}


def complete(path, sources, target):
    """The list with exactly the crates in the program, and with what is not a crate."""
    sources = pathlib.Path(sources)
    # References name the directory that the sources were in.
    bom = json.loads(pathlib.Path(path).read_text(encoding="utf-8").replace(f"path+file://{sources.resolve()}", "flagstone:"))
    wanted, described = linked(sources, target), manifests(sources)
    wanted.discard(("flagstone", f"v{bom['metadata']['component']['version']}"))
    kept = [c for c in bom["components"] if (c["name"], f"v{c['version']}") in wanted]
    missing = wanted - {(c["name"], f"v{c['version']}") for c in kept}
    checksums = lock_checksums(sources)
    kept += [crate(described[key], checksums) for key in sorted(missing)]
    kept += in_c({key: described[key] for key in wanted})
    kept += in_pages(sources)
    bom["components"] = sorted(kept, key=lambda c: (c["name"], c["version"], c["bom-ref"]))
    references = {c["bom-ref"] for c in kept} | {bom["metadata"]["component"]["bom-ref"]}
    bom["dependencies"] = [
        {**d, "dependsOn": [r for r in d.get("dependsOn", []) if r in references]}
        for d in bom["dependencies"] if d["ref"] in references]
    return bom


def beside(path, artefact):
    """The list as that of an artefact."""
    bom = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    artefact = pathlib.Path(artefact)
    digest = hashlib.sha256(artefact.read_bytes()).hexdigest()
    bom["metadata"]["component"]["hashes"] = [{"alg": "SHA-256", "content": digest}]
    bom["metadata"].setdefault("properties", []).append({"name": "flagstone:artefact", "value": artefact.name})
    bom["serialNumber"] = f"urn:uuid:{uuid.uuid5(NUMBERS, json.dumps(bom, sort_keys=True))}"
    return bom


def main():
    """Does what the head of this file says."""
    action = {"complete": complete, "beside": beside}[sys.argv[1]]
    json.dump(action(*sys.argv[2:]), sys.stdout, indent=1, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
