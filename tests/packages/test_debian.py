"""The Debian package, installed by apt on a Debian without Rust, and run by its systemd."""

import os
import pathlib
import re
import subprocess
import time
import unittest

from machine import Machine, wait_for

MACHINES = pathlib.Path(os.environ.get("MACHINES", ""))
SCRATCH = os.environ.get("SCRATCH", "")
FLAG = "/api/admin/projects/default/features"
LIMIT = 2.0


def package(folder):
    """The package for this machine's architecture."""
    found = sorted((MACHINES / folder).glob("flagstone_*_amd64.deb"))
    assert len(found) == 1, f"one package is expected in {folder}: {found}"
    return found[0]


class Debian(unittest.TestCase):
    """Each test has a machine of its own with the package on it."""

    def setUp(self):
        self.machine = Machine(MACHINES / "debian.tar", SCRATCH)
        self.addCleanup(self.machine.stop)

    def install(self, folder="packages"):
        """Installs a package the way a person does, and waits until the service answers."""
        file = self.machine.put(package(folder), f"{folder}.deb")
        said = self.machine.run("apt-get", "install", "--yes", "--no-install-recommends", file)
        self.answers()
        return said

    def answers(self, path="/ready"):
        wait_for(lambda: self.machine.http(path)[0] == 200, f"{path} answers")

    def silent(self):
        wait_for(lambda: self.machine.http("/health")[0] == 0, "nobody answers")

    def token(self):
        """The admin token of the first start."""
        said = self.machine.run("cat", "/var/lib/flagstone/started")
        return re.search(r"Admin token +(\S+)", said)[1]

    def main_process(self, unit="flagstone"):
        return self.machine.run("systemctl", "show", "--property=MainPID", "--value", unit).strip()

    def status_of(self, process):
        """/proc/…/status of a process of the machine."""
        text = self.machine.run("cat", f"/proc/{process}/status")
        return dict(line.split(":", 1) for line in text.splitlines())

    def has_flag(self, name, token):
        status, text = self.machine.http(f"{FLAG}/{name}", token)
        return status == 200 and f'"name":"{name}"' in text

    def test_from_installation_to_purge(self):
        machine = self.machine
        self.assertNotEqual(machine.start("sh", "-c", "command -v cargo || command -v rustc").returncode, 0)

        began = time.monotonic()
        self.install()
        token = self.token()
        status, text = machine.http(FLAG, token, {"name": "checkout-redesign"})
        self.assertEqual(status, 201, text)
        status, text = machine.http(f"{FLAG}/checkout-redesign/environments/development/on", token, method="POST")
        self.assertEqual(status, 200, text)
        took = time.monotonic() - began
        client = machine.run("runuser", "-u", "flagstone", "--", "env", "--chdir=/var/lib/flagstone", "flagstone", "token",
                             "create", "--type", "client", "--name", "shop", "--environment", "development").strip()
        status, text = machine.http("/api/client/features", client)
        self.assertEqual(status, 200, text)
        self.assertRegex(text, r'"name":"checkout-redesign"[^}]*"enabled":true')
        memory = self.status_of(self.main_process())
        size = package("packages").stat().st_size
        print(f"\n    package {size / 1e6:.1f} MB, program "
              f"{(machine.root / 'usr/bin/flagstone').stat().st_size / 1e6:.1f} MB; from `apt-get install` to the first "
              f"flag {took:.1f} s; memory {memory['VmRSS'].strip()} now, {memory['VmHWM'].strip()} at most")

        # Upgraded: another process, the same data; what the operator changed in the configuration stays.
        machine.run("sed", "-i", 's/127.0.0.1:4242/127.0.0.1:4243/; s/^#/# ours:/', "/etc/flagstone/flagstone.toml")
        changed = machine.run("cat", "/etc/flagstone/flagstone.toml")
        machine.run("sh", "-c", "echo FLAGSTONE_LISTEN=127.0.0.1:4242 >/etc/default/flagstone")
        before = self.main_process()
        self.install("newer")
        wait_for(lambda: self.main_process() != before, "the service starts anew")
        self.answers()
        self.assertTrue(self.has_flag("checkout-redesign", token))
        self.assertEqual(machine.run("cat", "/etc/flagstone/flagstone.toml"), changed)
        self.assertIn("99.0.0-1", machine.run("dpkg-query", "--show", "flagstone"))
        self.assertNotIn("Password", machine.run("cat", "/var/lib/flagstone/started"), "a later start tells no password")

        # Removed: no service, all files of the operator.
        machine.run("apt-get", "remove", "--yes", "flagstone")
        self.silent()
        machine.run("test", "-f", "/etc/flagstone/flagstone.toml")
        machine.run("test", "-f", "/var/lib/flagstone/flagstone.db")

        # Purged: the configuration goes, the data stays, and it says where and how to be rid of it.
        said = machine.run("apt-get", "purge", "--yes", "flagstone")
        self.assertIn("stay in /var/lib/flagstone", said)
        self.assertIn("rm -r /var/lib/flagstone", said)
        self.assertEqual(machine.ask("sh", "-c", "ls -d /etc/flagstone /etc/default/flagstone-edge 2>/dev/null"), "")
        for kept in ("flagstone.db", "flagstone.key"):
            machine.run("test", "-f", f"/var/lib/flagstone/{kept}")

        # Installed again, it goes on where it was.
        self.install()
        self.assertTrue(self.has_flag("checkout-redesign", token))

    def test_the_service_is_confined_and_works(self):
        machine = self.machine
        self.install()
        for unit in ("flagstone.service", "flagstone-edge.service"):
            said = machine.run("systemd-analyze", "security", "--no-pager", unit)
            exposure = float(re.search(r"Overall exposure level for \S+: ([0-9.]+)", said)[1])
            print(f"\n    systemd-analyze security {unit}: {exposure}")
            self.assertLess(exposure, LIMIT, said)
        status = self.status_of(self.main_process())
        self.assertEqual(int(status["CapBnd"], 16), 0)
        self.assertEqual(status["NoNewPrivs"].strip(), "1")
        self.assertEqual(status["Seccomp"].strip(), "2")
        self.assertNotIn("0", status["Uid"].split())
        self.assertEqual(machine.ask("journalctl", "--unit=flagstone", "--output=cat", "--grep=Password|Admin token"), "")
        self.assertEqual(machine.run("stat", "--format=%U %a", "/var/lib/flagstone/started").strip(), "root 600")
        self.assertEqual(machine.run("stat", "--format=%U %a", "/var/lib/flagstone").strip(), "flagstone 700")
        self.assertEqual(machine.run("stat", "--format=%G %a", "/etc/flagstone/flagstone.toml").strip(), "flagstone 640")
        # What it reads of /proc is there although the unit hides most of it.
        status, text = machine.http("/internal-backstage/prometheus", self.token())
        self.assertEqual(status, 200)
        for figure in ("process_resident_memory_bytes", "process_open_fds", "process_max_fds"):
            self.assertRegex(text, rf"(?m)^{figure} [1-9]", f"{figure} in the metrics")
        # A backup beside it, by its user, while it serves.
        machine.run("runuser", "-u", "flagstone", "--", "env", "--chdir=/var/lib/flagstone", "flagstone", "backup", "copy.db")

    def test_no_system_call_is_refused(self):
        """What the filter refuses is logged when it only logs: nothing may be, from the start to the end of the service."""
        machine = self.machine
        self.install()
        machine.run("systemctl", "stop", "flagstone")
        # Killed instead of told EPERM: the first call that is not allowed ends the service.
        folder = "/etc/systemd/system/flagstone.service.d"
        machine.run("sh", "-c", f"mkdir -p {folder} && printf '[Service]\\nSystemCallErrorNumber=kill\\nRestart=no\\n' "
                                f">{folder}/kill.conf && systemctl daemon-reload && systemctl start flagstone")
        self.answers()
        self.assertEqual(machine.http("/docs/openapi.json")[0], 200)
        machine.run("systemctl", "stop", "flagstone")
        self.assertEqual(machine.run("systemctl", "show", "--property=Result", "--value", "flagstone").strip(), "success")

    def test_the_key_as_a_credential(self):
        """The steps in the example, from its own text."""
        machine = self.machine
        self.install()
        token = self.token()
        self.assertEqual(machine.http(FLAG, token, {"name": "kept"})[0], 201)
        example = "/usr/share/doc/flagstone/examples/credential.conf"
        steps = [line[4:] for line in machine.run("cat", example).splitlines() if line.startswith("#   ")]
        self.assertEqual(len(steps), 3, steps)
        machine.run("sh", "-ec", "\n".join(["systemctl stop flagstone", *steps, "systemctl start flagstone"]))
        self.answers()
        self.assertTrue(self.has_flag("kept", token))
        self.assertEqual(machine.ask("sh", "-c", "ls /var/lib/flagstone/*.key 2>/dev/null"), "")
        self.assertEqual(machine.run("stat", "--format=%U %a", "/etc/flagstone/flagstone.key").strip(), "root 600")

    def test_the_edge_beside_it(self):
        machine = self.machine
        self.install()
        self.assertEqual(machine.ask("systemctl", "is-enabled", "flagstone-edge").strip(), "disabled")
        self.assertEqual(machine.ask("systemctl", "is-active", "flagstone-edge").strip(), "inactive")
        self.assertEqual(machine.run("stat", "--format=%U %a", "/etc/default/flagstone-edge").strip(), "root 600")
        token = self.token()
        self.assertEqual(machine.http(FLAG, token, {"name": "near"})[0], 201)
        client = machine.run("runuser", "-u", "flagstone", "--", "env", "--chdir=/var/lib/flagstone", "flagstone", "token",
                             "create", "--type", "client", "--name", "edge", "--environment", "development").strip()
        machine.run("sed", "-i", f"s|^#UPSTREAM_URL=.*|UPSTREAM_URL=http://127.0.0.1:4242|; s|^#TOKENS=.*|TOKENS={client}|",
                    "/etc/default/flagstone-edge")
        machine.run("systemctl", "enable", "--now", "flagstone-edge")
        wait_for(lambda: machine.http("/ready", port=3063)[0] == 200, "the edge is ready")
        status, text = machine.http("/api/client/features", client, port=3063)
        self.assertEqual(status, 200, text)
        self.assertIn('"name":"near"', text)
        # Without the server and after a start of its own it serves what it kept.
        wait_for(lambda: machine.ask("sh", "-c", "ls /var/lib/flagstone-edge/"), "its state is on the disk")
        machine.run("systemctl", "stop", "flagstone")
        machine.run("systemctl", "restart", "flagstone-edge")
        wait_for(lambda: machine.http("/ready", port=3063)[0] == 200, "the edge is ready alone")
        self.assertIn('"name":"near"', machine.http("/api/client/features", client, port=3063)[1])

    def test_what_is_in_it(self):
        machine = self.machine
        self.install()
        listed = machine.run("dpkg", "--listfiles", "flagstone").split()
        for path in ("/usr/bin/flagstone", "/usr/share/man/man1/flagstone.1.gz", "/usr/share/man/man1/flagstone-edge.1.gz",
                     "/usr/share/bash-completion/completions/flagstone", "/usr/share/doc/flagstone/copyright",
                     "/usr/share/doc/flagstone/THIRD-PARTY-LICENCES.txt.gz", "/usr/share/doc/flagstone/installing.md",
                     "/usr/share/doc/flagstone/examples/flagstone.rules.yml",
                     "/usr/share/doc/flagstone/examples/flagstone.toml"):
            self.assertIn(path, listed)
        for unit in ("flagstone.service", "flagstone-edge.service"):
            done = machine.start("systemd-analyze", "verify", "--man=no", f"/lib/systemd/system/{unit}")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        documented = machine.run("systemctl", "show", "--property=Documentation", "--value", "flagstone").split()
        for address in documented:
            if address.startswith("file:"):
                machine.run("test", "-f", address.removeprefix("file:"))
        self.assertIn(".TH", machine.run("zcat", "/usr/share/man/man1/flagstone.1.gz"))


class File(unittest.TestCase):
    """The package as a file."""

    def test_lintian_is_content(self):
        done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", package("packages")],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_same_again(self):
        """Made a second time it is the same, byte for byte; and so is the archive."""
        again = MACHINES / "again"
        environment = {**os.environ, "FLAGSTONE_PACKAGES": str(again),
                       "FLAGSTONE_BINARY": str(MACHINES / "packages/program/x86_64/flagstone")}
        subprocess.run(["packaging/run", "binary", "archive", "debian", "helm", "sbom"], check=True, env=environment,
                       capture_output=True)
        files = [file for file in again.iterdir() if file.is_file()]
        self.assertGreaterEqual(len(files), 5)
        for file in files:
            self.assertEqual(file.read_bytes(), (MACHINES / "packages" / file.name).read_bytes(), file.name)


if __name__ == "__main__":
    unittest.main()
