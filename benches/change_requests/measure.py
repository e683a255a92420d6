"""Drives servers through change requests, and prints what one call of each kind takes.

    measure.py URL PROCESS URL PROCESS [DATABASE_PROCESS]

The second server has no change requests, and the same otherwise: lists are asked of both in turns.
"""

import contextlib
import glob
import http.client
import json
import os
import statistics
import sys
import time
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from urllib.parse import urlparse

FEATURES = 1000
CHANGES = 100
OPEN = 1000
ROUNDS = 8
# Of lists: so many blocks of so many requests, in turns.
BLOCKS, REPEATS = 60, 25
PROJECT = "bench"
IN_PRODUCTION = f"/api/admin/projects/{PROJECT}/environments/production/change-requests"
OF_PROJECT = f"/api/admin/projects/{PROJECT}/change-requests"
LISTS = {
    "search of features, first page": f"/api/admin/search/features?project=IS:{PROJECT}&limit=50",
    "features of the project, all": f"/api/admin/projects/{PROJECT}/features",
    "project overview": f"/api/admin/projects/{PROJECT}/overview",
    "projects": "/api/admin/projects",
}

admin_token = os.environ["FLAGSTONE_ADMIN_TOKEN"]
databases = [int(process) for process in sys.argv[5:]]
figures = defaultdict(list)
# Processor time of the processes of the database, also of those that have ended.
spent_by = {}


def processor_time(process):
    """Milliseconds of the processor that the threads of a process took."""
    spent = 0
    for thread in glob.glob(f"/proc/{process}/task/*/schedstat"):
        # It may end meanwhile.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(thread, encoding="utf-8") as file:
            spent += int(file.read().split()[0])
    return spent / 1e6


def with_children(process):
    with open(f"/proc/{process}/task/{process}/children", encoding="utf-8") as children:
        return [process, *(each for child in children.read().split() for each in with_children(int(child)))]


class Server:
    """A connection to a server."""

    def __init__(self, url, process):
        address = urlparse(url)
        self.connection = http.client.HTTPConnection(address.hostname, address.port)
        self.process = int(process)

    def ask(self, method, path, body=None, token=admin_token):
        headers = {"Authorization": token, "Content-Type": "application/json"}
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status >= 400:
            sys.exit(f"{method} {path}: {answer.status} {content[:500]!r}")
        return json.loads(content) if content else None

    def now(self):
        """Milliseconds of the server's processor time, of the database's, and of the clock."""
        for process in databases:
            spent_by.update((each, processor_time(each) or spent_by.get(each, 0)) for each in with_children(process))
        return processor_time(self.process), sum(spent_by.values()), time.perf_counter() * 1000

    def measured(self, name, *request, times=1, **options):
        """Asks so many times, and adds to the figures of this name what one took."""
        before = self.now()
        for _ in range(times):
            answer = self.ask(*request, **options)
        figures[name].append([(after - began) / times for after, began in zip(self.now(), before)])
        return answer


busy, quiet = Server(*sys.argv[1:3]), Server(*sys.argv[3:5])
ask, measured = busy.ask, busy.measured


def show(name, of=statistics.median):
    """Prints what one took, and returns the processor's time of both."""
    own, database, clock = (of(column) for column in zip(*figures[name]))
    print(f"{name:46} {own:9.2f} {database:9.2f} {clock:9.2f}", flush=True)
    return of(own + database for own, database, _ in figures[name])


def measured_list(name, path):
    for _ in range(BLOCKS):
        measured(name, "GET", path, times=REPEATS)
    show(name, min)


def compared_list(name, path):
    """Asks both servers in turns; the cheapest block of each is what others on the machine disturbed least."""
    turns = [(busy, name), (quiet, f"{name}, none open")]
    for _ in range(BLOCKS):
        for server, which in turns:
            server.measured(which, "GET", path, times=REPEATS)
        turns.reverse()
    beside, alone = show(name, min), show(f"{name}, none open", min)
    print(f"{name:46} {beside / alone:9.3f} times")


def service_account(name, role, server=busy):
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    account = server.ask("POST", "/api/admin/service-account", {"username": name, "name": name, "rootRole": role})
    token = {"description": "bench", "expiresAt": tomorrow.isoformat()}
    return server.ask("POST", f"/api/admin/service-account/{account['id']}/token", token)["secret"]


def switch(feature):
    return {"feature": feature, "action": "updateEnabled", "payload": {"enabled": True}}


def strategy(feature):
    constraint = {"contextName": "userId", "operator": "IN", "values": ["7", "8"], "inverted": False}
    parameters = {"rollout": "25", "stickiness": "default", "groupId": feature}
    payload = {"name": "flexibleRollout", "parameters": parameters, "constraints": [constraint], "segments": []}
    return {"feature": feature, "action": "addStrategy", "payload": payload}


def live(round_, author, reviewer):
    """A change request from its draft to its application: half of the changes are switches, half are strategies."""
    features = [f"bench-{round_ * CHANGES + number}" for number in range(CHANGES)]
    changes = [change(feature) for feature, change in zip(features, [switch, strategy] * (CHANGES // 2))]
    request = measured("request the changes", "POST", IN_PRODUCTION, changes, token=author)["id"]
    path = f"{OF_PROJECT}/{request}"
    measured("read it", "GET", path, token=author)
    measured("its impact", "GET", f"{path}/impact", token=author)
    measured("send it to review", "PUT", f"{path}/state", {"state": "In review"}, token=author)
    measured("approve it", "PUT", f"{path}/state", {"state": "Approved"}, token=reviewer)
    measured("try its application", "PUT", f"{path}/state?dryRun=true", {"state": "Applied"}, token=reviewer)
    measured("apply it", "PUT", f"{path}/state", {"state": "Applied"}, token=reviewer)


def fill():
    """As many open change requests as are asked for: one change each, and of one author each, whose changes would join.

    The other server has the authors alone.
    """
    for number in range(OPEN):
        service_account(f"author-{number}", 2, quiet)
        author = service_account(f"author-{number}", 2)
        request = ask("POST", IN_PRODUCTION, strategy(f"bench-{number}"), author)["id"]
        ask("PUT", f"{OF_PROJECT}/{request}/state", {"state": "In review"}, author)


def main():
    for server in (busy, quiet):
        server.ask("POST", "/api/admin/projects", {"id": PROJECT, "name": PROJECT})
        for number in range(FEATURES):
            server.ask("POST", f"/api/admin/projects/{PROJECT}/features", {"name": f"bench-{number}", "type": "release"})
        server.ask("PUT", f"{IN_PRODUCTION}/config", {"changeRequestsEnabled": True, "requiredApprovals": 1})
    fill()
    print(f"{'milliseconds':46} {'server':>9} {'database':>9} {'clock':>9}")
    print(f"{OPEN} open change requests:")
    for name, path in LISTS.items():
        compared_list(name, path)
    measured_list("search of change requests, first page", "/api/admin/search/change-requests?limit=50")
    measured_list("change requests of the project, all", OF_PROJECT)
    measured_list("open ones of a feature", f"{OF_PROJECT}/pending/bench-1")
    measured_list("counts", f"{OF_PROJECT}/count")
    figures.clear()
    author, reviewer = service_account("author", 2), service_account("reviewer", 1)
    for round_ in range(ROUNDS):
        live(round_, author, reviewer)
    print(f"a change request of {CHANGES} changes beside them:")
    for name in list(figures):
        show(name)


main()
