"""The image: linted, built by Buildah, and its program run as the image says, where nothing but the volume can be written."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import known
from machine import wait_for

PACKAGES = pathlib.Path(os.environ.get("PACKAGES", ""))
FILE = known.REPOSITORY / "packaging/container/Containerfile"


def image():
    """The image's archive."""
    found = list(PACKAGES.glob("flagstone-*-amd64.docker.tar.gz"))
    assert len(found) == 1, found
    return found[0]


def described(archive):
    """The layers and the configuration in an archive of `docker save`."""
    manifest, = json.load(archive.extractfile("manifest.json"))
    return manifest["Layers"], json.load(archive.extractfile(manifest["Config"]))


class Linted(unittest.TestCase):
    """The file."""

    def test_hadolint_is_content(self):
        done = subprocess.run(["hadolint", "--no-color", FILE], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_what_it_sets_is_known(self):
        block = re.search(r"^ENV (.*?[^\\])$", FILE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]
        for name in re.findall(r"([A-Z_]+)=", block):
            if name != "PATH":
                self.assertIn(name, known.variables("serve"))
                self.assertIn(name, known.variables("edge") | {"EDGE_URL"})


class Built(unittest.TestCase):
    """The image that Buildah made of it, unpacked and run without a daemon: there is none to run containers here."""

    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(dir=os.environ["SCRATCH"], prefix="image."))
        with tarfile.open(image()) as archive:
            cls.root.chmod(0o755)
            cls.layers, cls.about = described(archive)
            cls.config = cls.about["config"]
            for layer in cls.layers:
                with tarfile.open(fileobj=archive.extractfile(layer), mode="r:*") as files:
                    files.extractall(cls.root, filter="fully_trusted")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def test_it_holds_what_it_needs_and_no_more(self):
        files = {str(file.relative_to(self.root)) for file in self.root.rglob("*") if not file.is_dir()}
        self.assertEqual(files, {"usr/bin/flagstone", *(f"usr/share/doc/flagstone/{name}" for name in (
            "LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-LICENCES.txt"))})
        print(f"\n    image {image().stat().st_size / 1e6:.1f} MB, {len(self.layers)} layers")

    def test_it_says_who_runs_and_how(self):
        config = self.config
        self.assertEqual(config["User"], "65532:65532")
        self.assertEqual(config["Entrypoint"], ["/usr/bin/flagstone"])
        self.assertEqual(config["Cmd"], ["serve"])
        self.assertEqual(list(config["Volumes"]), ["/var/lib/flagstone"])
        self.assertIn("org.opencontainers.image.licenses", config["Labels"])
        self.assertTrue(config["Labels"]["org.opencontainers.image.version"])
        self.assertEqual((self.about["architecture"], self.about["os"]), ("amd64", "linux"))
        data = (self.root / "var/lib/flagstone").stat()
        self.assertEqual((data.st_uid, data.st_gid), (65532, 65532))

    def command(self, *arguments):
        """A command that does what a runtime does: the image's root, read-only, its volume, user, variables, command."""
        user, group = self.config["User"].split(":")
        data = self.root.parent / "volume"
        data.mkdir(exist_ok=True)
        os.chown(data, int(user), int(group))
        root = self.root
        variables = [value for value in self.config["Env"] if not value.startswith("FLAGSTONE_LISTEN=")]
        script = (f'mount --make-rprivate / && mount --bind {root} {root} && mount --bind {data} {root}/var/lib/flagstone && '
                  f'mount -o remount,bind,ro {root} && exec "$@"')
        launch = ["python3", "-c", (
            "import os,sys;root,user,group=sys.argv[1],int(sys.argv[2]),int(sys.argv[3]);"
            "os.chroot(root);os.chdir(sys.argv[4]);os.setgroups([]);os.setgid(group);os.setuid(user);"
            "os.execve(sys.argv[6],sys.argv[6:],dict(v.split('=',1) for v in sys.argv[5].split('\\n')))"),
            str(root), user, group, self.config["WorkingDir"]]
        return lambda more: ["unshare", "--mount", "sh", "-ec", script, "sh", *launch, "\n".join(variables + more), *arguments]

    def test_it_serves_on_a_root_that_cannot_be_written(self):
        port = 20000 + os.getpid() % 10000
        start = self.command(*self.config["Entrypoint"], *self.config["Cmd"])([f"FLAGSTONE_LISTEN=127.0.0.1:{port}"])
        server = subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(lambda: (server.kill(), server.communicate()))
        began = time.monotonic()

        def ready():
            if server.poll() is not None:
                self.fail(server.stdout.read())
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/ready", timeout=5) as answer:
                    return answer.status == 200
            except (urllib.error.URLError, OSError):
                return False

        wait_for(ready, "it is ready")
        print(f"\n    ready after {time.monotonic() - began:.1f} s")
        asked = self.config["Healthcheck"]["Test"]
        self.assertEqual(asked[0], "CMD")
        asked = asked[1:]
        done = subprocess.run(self.command(*asked)([f"EDGE_URL=http://127.0.0.1:{port}"]), capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{server.pid}/status").read_text("utf-8").splitlines())
        self.assertEqual(set(status["Uid"].split()), {"65532"})
        self.assertIn("flagstone.db", {file.name for file in (self.root.parent / "volume").iterdir()})
        server.terminate()
        self.assertEqual(server.wait(60), 0, "it stops when it is asked to")
        done = subprocess.run(self.command(*asked)([f"EDGE_URL=http://127.0.0.1:{port}"]), capture_output=True, check=False)
        self.assertNotEqual(done.returncode, 0, "the check fails when nobody answers")


if __name__ == "__main__":
    unittest.main()
