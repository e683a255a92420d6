"""Drives the server of FLAGSTONE_URL through change requests, and prints what one call of each kind takes.

    measure.py SERVER_PROCESS [DATABASE_PROCESS]
"""

import http.client
import json
import os
import statistics
import sys
import time
from collections import defaultdict
from urllib.parse import urlparse

FEATURES = 1000
CHANGES = 100
OPEN = 1000
OPEN_OF_A_PERSON = 100
ROUNDS = 8
REPEATS = 300
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
server, databases = int(sys.argv[1]), [int(process) for process in sys.argv[2:]]
address = urlparse(os.environ["FLAGSTONE_URL"])
connection = http.client.HTTPConnection(address.hostname, address.port)
figures = defaultdict(list)


def ask(method, path, body=None, token=admin_token):
    headers = {"Authorization": token, "Content-Type": "application/json"}
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    content = answer.read()
    if answer.status >= 400:
        sys.exit(f"{method} {path}: {answer.status} {content[:500]!r}")
    return json.loads(content) if content else None


def ticks(process):
    with open(f"/proc/{process}/stat", encoding="utf-8") as stat:
        return sum(map(int, stat.read().rpartition(")")[2].split()[11:13]))


def with_children(process):
    with open(f"/proc/{process}/task/{process}/children", encoding="utf-8") as children:
        return [process, *(each for child in children.read().split() for each in with_children(int(child)))]


def now():
    """Milliseconds of the server's processor time, of the database's, and of the clock."""
    of_a_tick = 1000 / os.sysconf("SC_CLK_TCK")
    database = sum(ticks(each) for process in databases for each in with_children(process))
    return ticks(server) * of_a_tick, database * of_a_tick, time.perf_counter() * 1000


def measured(name, *request, **options):
    """Asks, and adds to the figures of this name what it took."""
    before = now()
    answer = ask(*request, **options)
    figures[name].append([after - began for after, began in zip(now(), before)])
    return answer


def show(name):
    """Prints the means of the processor's time, whose clock is coarse, and the median of the wall's."""
    own, database, clock = zip(*figures[name])
    own, database = statistics.fmean(own), statistics.fmean(database)
    print(f"{name:46} {own:9.2f} {database:9.2f} {statistics.median(clock):9.2f}", flush=True)
    return own + database


def measured_list(name, path):
    for _ in range(REPEATS):
        measured(name, "GET", path)
    return show(name)


def service_account(name, role):
    account = ask("POST", "/api/admin/service-account", {"username": name, "name": name, "rootRole": role})
    token = {"description": "bench", "expiresAt": "2099-01-01T00:00:00.000Z"}
    return ask("POST", f"/api/admin/service-account/{account['id']}/token", token)["secret"]


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
    """As many open change requests, of one change each, as are asked for."""
    for person in range(OPEN // OPEN_OF_A_PERSON):
        author = service_account(f"author-{person}", 2)
        for number in range(OPEN_OF_A_PERSON):
            change = strategy(f"bench-{(person * OPEN_OF_A_PERSON + number) % FEATURES}")
            request = ask("POST", IN_PRODUCTION, change, author)["id"]
            ask("PUT", f"{OF_PROJECT}/{request}/state", {"state": "In review"}, author)


def main():
    ask("POST", "/api/admin/projects", {"id": PROJECT, "name": PROJECT})
    for number in range(FEATURES):
        ask("POST", f"/api/admin/projects/{PROJECT}/features", {"name": f"bench-{number}", "type": "release"})
    ask("PUT", f"{IN_PRODUCTION}/config", {"changeRequestsEnabled": True, "requiredApprovals": 1})
    print(f"{'milliseconds':46} {'server':>9} {'database':>9} {'clock':>9}")
    author, reviewer = service_account("author", 2), service_account("reviewer", 1)
    for round_ in range(ROUNDS):
        live(round_, author, reviewer)
    print(f"a change request of {CHANGES} changes:")
    for name in list(figures):
        show(name)
    print("no open change requests:")
    alone = {name: measured_list(name, path) for name, path in LISTS.items()}
    fill()
    figures.clear()
    print(f"{OPEN} open change requests:")
    beside = {name: measured_list(name, path) for name, path in LISTS.items()}
    for name in LISTS:
        print(f"{name:46} {beside[name] / alone[name]:9.3f} times")
    measured_list("search of change requests, first page", "/api/admin/search/change-requests?limit=50")
    measured_list("change requests of the project, all", OF_PROJECT)
    measured_list("open ones of a feature", f"{OF_PROJECT}/pending/bench-1")
    measured_list("counts", f"{OF_PROJECT}/count")


main()
