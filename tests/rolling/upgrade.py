"""Replaces two nodes one after the other while they are asked, and tells what failed or was lost.

    upgrade.py BEFORE PRESENT PORT PORT DIRECTORY SECONDS

Those who ask go through what stands for a load balancer: each request goes to the nodes in turn, and to the other node only
where no connection is had, so that nobody has received it. Whatever else goes wrong has failed: a connection that ends
before the answer, and any answer from 500 on.
"""

import functools
import http.client
import itertools
import json
import os
import subprocess
import sys
import threading
import time

BEFORE, PRESENT, *PORTS = sys.argv[1:5]
DIRECTORY, PAUSE = sys.argv[5], float(sys.argv[6])
ADMIN, CLIENT, FRONTEND = (
    os.environ[f"INIT_{kind}_API_TOKENS"] for kind in ("ADMIN", "CLIENT", "FRONTEND")
)
FEATURES = "/api/admin/projects/default/features"
WRITERS = 2


class Node:
    """A process at a port, of either version."""

    def __init__(self, port: str, program: str):
        self.port = int(port)
        self.start(program)

    def start(self, program: str) -> None:
        environment = {**os.environ, "FLAGSTONE_LISTEN": f"127.0.0.1:{self.port}"}
        with open(f"{DIRECTORY}/node-{self.port}.log", "ab") as log:
            self.process = subprocess.Popen([program], env=environment, cwd=DIRECTORY, stdout=log, stderr=log)
        deadline = time.monotonic() + 120
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"the node does not start:\n{self.log()}")
            time.sleep(0.05)

    def is_ready(self) -> bool:
        try:
            return self.send("GET", "/ready", None, {})[0] == 200
        except OSError:
            return False

    def stop(self) -> None:
        self.process.terminate()
        if status := self.process.wait(timeout=90):
            raise SystemExit(f"the node ended with {status}:\n{self.log()}")

    def log(self) -> str:
        with open(f"{DIRECTORY}/node-{self.port}.log", encoding="utf-8") as log:
            return "".join(log.readlines()[-20:])

    def send(self, method: str, path: str, body, headers: dict) -> tuple[int, dict, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            data = None if body is None else json.dumps(body)
            kind = {} if body is None else {"Content-Type": "application/json"}
            connection.request(method, path, data, {**kind, **headers})
            answer = connection.getresponse()
            return answer.status, dict(answer.headers), answer.read()
        finally:
            connection.close()


class Balancer:
    """Gives requests to the nodes in turn, and keeps what failed."""

    def __init__(self, nodes: list[Node]):
        self.nodes = nodes
        self.turns = itertools.count()
        self.failures: list[str] = []
        self.answered: dict[str, int] = {}
        self.lock = threading.Lock()

    def ask(self, who: str, method: str, path: str, token: str, body=None):
        """The answer, or nothing when the request failed."""
        first = next(self.turns)
        for attempt in range(200):
            node = self.nodes[(first + attempt) % len(self.nodes)]
            try:
                answer = node.send(method, path, body, {"Authorization": token})
            except ConnectionRefusedError:
                # At most one node is being replaced at a time.
                time.sleep(0.01 if attempt > 1 else 0)
                continue
            except (OSError, http.client.HTTPException) as error:
                return self.fail(f"{who}: {method} {path} at {node.port}: {error!r}")
            if answer[0] >= 400:
                return self.fail(f"{who}: {method} {path} at {node.port}: {answer[0]} {answer[2][:300]!r}")
            with self.lock:
                self.answered[who] = self.answered.get(who, 0) + 1
            return answer
        return self.fail(f"{who}: {method} {path}: no node takes it")

    def fail(self, what: str) -> None:
        with self.lock:
            self.failures.append(what)


class Load:
    """Programs, browsers and people, each a thread, until they are told to halt."""

    def __init__(self, balancer: Balancer):
        self.balancer = balancer
        self.halted = threading.Event()
        # What was acknowledged: the last description of each feature.
        self.written: dict[str, str] = {}
        asks = [self.poll, self.poll, self.look, self.look, self.report]
        asks += [functools.partial(self.write, number) for number in range(WRITERS)]
        self.threads = [threading.Thread(target=self.repeat, args=(ask,)) for ask in asks]
        for thread in self.threads:
            thread.start()

    def repeat(self, ask) -> None:
        for step in itertools.count():
            if self.halted.is_set():
                return
            ask(step)
            time.sleep(0.005)

    def halt(self) -> None:
        self.halted.set()
        for thread in self.threads:
            thread.join()

    def poll(self, _step: int) -> None:
        self.balancer.ask("poll", "GET", "/api/client/features", CLIENT)

    def look(self, _step: int) -> None:
        self.balancer.ask("frontend", "GET", "/api/frontend?userId=7", FRONTEND)

    def report(self, _step: int) -> None:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        bucket = {"start": now, "stop": now, "toggles": {"always": {"yes": 1, "no": 0}}}
        body = {"appName": "rolling", "instanceId": "one", "bucket": bucket}
        self.balancer.ask("report", "POST", "/api/client/metrics", CLIENT, body)

    def write(self, number: int, step: int) -> None:
        name = f"made-{number}-{step // 3}"
        if step % 3 == 0:
            body = {"name": name, "description": "0"}
            if self.balancer.ask("write", "POST", FEATURES, ADMIN, body):
                self.written[name] = "0"
        elif name in self.written:
            patch = [{"op": "replace", "path": "/description", "value": f"{step}"}]
            if self.balancer.ask("write", "PATCH", f"{FEATURES}/{name}", ADMIN, patch):
                self.written[name] = f"{step}"


def lost(balancer: Balancer, load: Load) -> list[str]:
    """What was acknowledged and is not there."""
    missing = []
    status, _, body = balancer.nodes[0].send("GET", FEATURES, None, {"Authorization": ADMIN})
    assert status == 200, body
    there = {feature["name"]: feature["description"] for feature in json.loads(body)["features"]}
    for name, description in load.written.items():
        if there.get(name) != description:
            missing.append(f"{name} has the description {there.get(name)!r} instead of {description!r}")
    if unknown := set(there) - set(load.written) - {"always"}:
        missing.append(f"features that nobody was told of: {sorted(unknown)}")
    # Both nodes tell programs the same, and all of it.
    for node in balancer.nodes:
        features = json.loads(node.send("GET", "/api/client/features", None, {"Authorization": CLIENT})[2])["features"]
        told = {feature["name"] for feature in features}
        if told != set(load.written) | {"always"}:
            missing.append(f"the node at {node.port} tells programs of {len(told)} features, not {len(load.written) + 1}")
    counted, offset = {}, 0
    while True:
        path = f"/api/admin/search/events?type=IS:feature-created&limit=1000&offset={offset}"
        page = json.loads(balancer.nodes[1].send("GET", path, None, {"Authorization": ADMIN})[2])["events"]
        if not page:
            break
        for event in page:
            counted[event["featureName"]] = counted.get(event["featureName"], 0) + 1
        offset += len(page)
    for name in load.written:
        if counted.get(name) != 1:
            missing.append(f"{name} has {counted.get(name, 0)} events of its creation")
    return missing


def main() -> int:
    nodes = [Node(port, BEFORE) for port in PORTS]
    try:
        return upgrade(nodes)
    finally:
        for node in nodes:
            node.process.kill()


def upgrade(nodes: list[Node]) -> int:
    balancer = Balancer(nodes)
    status, _, body = nodes[0].send("POST", FEATURES, {"name": "always"}, {"Authorization": ADMIN})
    assert status == 201, body
    load = Load(balancer)
    time.sleep(PAUSE)
    for node in nodes:
        node.stop()
        node.start(PRESENT)
        print(f"the node at {node.port} is of the present version; {balancer.answered}", flush=True)
        time.sleep(PAUSE)
    load.halt()
    # Programs are told of the last change within a moment, on every node.
    deadline = time.monotonic() + 30
    while (missing := lost(balancer, load)) and time.monotonic() < deadline:
        time.sleep(1)
    kinds = {"poll", "frontend", "report", "write"}
    checks = {
        "no request failed": balancer.failures,
        "nothing that was acknowledged is lost": missing,
        "everybody was answered": [kind for kind in kinds if balancer.answered.get(kind, 0) < 10],
    }
    for check, wrong in checks.items():
        print(f"{'NOT OK' if wrong else 'ok'}: {check}")
        for line in wrong[:20]:
            print(f"    {line}")
    print(f"answered: {balancer.answered}; features made: {len(load.written)}")
    failed = sum(bool(wrong) for wrong in checks.values())
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
