"""A Debian of its own without Rust: its systemd is the first process, its network is its own, its disk goes away."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

# Longer than anything takes on a busy machine; who waits this long has found something that does not come.
PATIENCE = 180


class Failed(AssertionError):
    """A command in the machine failed."""


def wait_for(claim, what, patience=PATIENCE):
    """Asks until the claim holds, and returns what it said."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        said = claim()
        if said:
            return said
        time.sleep(0.1)
    raise Failed(f"{what}: not after {patience} seconds")


class Machine:
    """Runs a Debian from an archive of its files, in a place that is not a share of the host's temporary files."""

    def __init__(self, archive, scratch):
        self.root = pathlib.Path(tempfile.mkdtemp(dir=scratch, prefix="machine."))
        subprocess.run(["tar", "--extract", "--file", archive, "--directory", self.root, "--exclude", "./dev/*"],
                       check=True)
        self.log = open(pathlib.Path(scratch) / "machine.log", "w", encoding="utf-8")
        self.process = subprocess.Popen(
            ["systemd-nspawn", "--quiet", "--directory", self.root, "--register=no", "--keep-unit", "--private-network",
             "--console=pipe", "--boot"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)
        self.leader = wait_for(self._leader, "the machine starts")
        wait_for(lambda: self.ask("systemctl", "is-system-running").strip() in ("running", "degraded"), "systemd starts")

    def _leader(self):
        if self.process.poll() is not None:
            raise Failed(f"the machine ended: {pathlib.Path(self.log.name).read_text(encoding='utf-8')}")
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="ascii")
        for child in children.split():
            if pathlib.Path(f"/proc/{child}/comm").read_text(encoding="ascii").strip() == "systemd":
                return child
        return None

    def start(self, *command, namespaces=("-m", "-u", "-i", "-n", "-p"), **options):
        """Runs a command there and returns what became of it."""
        inside = ["nsenter", "-t", self.leader, *namespaces]
        if "-m" in namespaces:
            inside += ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
                       "DEBIAN_FRONTEND=noninteractive"]
        return subprocess.run([*inside, *command], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, **options)

    def run(self, *command):
        """Runs a command that must not fail, and returns what it printed."""
        done = self.start(*command)
        if done.returncode:
            raise Failed(f"{' '.join(command)}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def ask(self, *command):
        """What a command prints, whether it fails or not."""
        return self.start(*command).stdout

    def put(self, file, name):
        """Copies a file of the host to its /root."""
        target = self.root / "root" / name
        target.write_bytes(pathlib.Path(file).read_bytes())
        return f"/root/{name}"

    def http(self, path, token=None, body=None, port=4242, method=None):
        """Status and body of what a server in the machine answers; status 0 when there is none."""
        command = ["curl", "--silent", "--show-error", "--max-time", "30", "--write-out", "\n%{http_code}"]
        if token:
            command += ["--header", f"Authorization: {token}"]
        if body is not None:
            command += ["--json", json.dumps(body)]
        if method:
            command += ["--request", method]
        done = self.start(*command, f"http://127.0.0.1:{port}{path}", namespaces=("-n",))
        text, _, status = done.stdout.rpartition("\n")
        return int(status or 0), text

    def stop(self):
        """Ends it and removes its files."""
        os.kill(int(self.leader), signal.SIGRTMIN + 4)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        subprocess.run(["rm", "-rf", "--one-file-system", self.root], check=False)
