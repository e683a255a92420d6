"""The data set on which requests are measured, and the client that sends them. As a program: fills an empty server.

Everything is worked out from numbers, so that it is the same each time.
"""

import http.client
import json
import os
import socket
import urllib.parse

ADMIN, CLIENT, FRONTEND = (
    os.environ[f"FLAGSTONE_{kind}_TOKEN"] for kind in ("ADMIN", "CLIENT", "FRONTEND")
)
ENVIRONMENTS = ("development", "production")
PROJECTS = ("checkout", "catalog", "delivery")
FLAGS = 60
# Of one import that is validated: more than 64 KiB, so that it is read as large ones are.
VALIDATED = 60
KINDS = ("release", "experiment", "operational", "kill-switch", "permission")
TEAMS = ("alpha", "bravo", "charlie", "delta")
REGIONS = ("apac", "emea", "latam", "north", "south")
SEGMENTS = 4


class Server:
    """A connection to the server: one request at a time, each sent as one piece, however long it is."""

    def __init__(self) -> None:
        address = urllib.parse.urlsplit(os.environ["FLAGSTONE_URL"])
        self.socket = socket.socket()
        self.socket.settimeout(300)
        # Room for a whole answer: otherwise the server sends it in as many pieces as its reader lets it.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.connect((address.hostname, address.port))

    def send(self, method: str, path: str, token: str, body: object = None, **headers: str) -> http.client.HTTPResponse:
        """Sends a request and reads its answer, whose body is then `content`."""
        lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: {token}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        content = b""
        if body is not None:
            content = json.dumps(body).encode()
            lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode() + content)
        answer = http.client.HTTPResponse(self.socket, method=method)
        answer.begin()
        answer.content = answer.read()
        return answer

    def change(self, method: str, path: str, body: object) -> None:
        """Sends a request of an administrator that must succeed."""
        answer = self.send(method, path, ADMIN, body)
        if answer.status >= 300:
            raise SystemExit(f"{method} {path} was answered {answer.status}: {answer.content.decode()[:500]}")


def flag(project: int, number: int) -> str:
    return f"{PROJECTS[project]}-{('banner', 'basket', 'carousel')[number % 3]}-{number:03}"


def strategy(project: int, number: int, place: int) -> dict:
    name = flag(project, number)
    region = {
        "contextName": "region",
        "operator": "IN",
        "inverted": False,
        "caseInsensitive": False,
        "values": [REGIONS[number % 5], REGIONS[(number + 1) % 5]],
    }
    version = {"contextName": "appVersion", "operator": "SEMVER_GT", "inverted": False, "value": f"1.{number}.0"}
    variants = [
        {
            "name": name,
            "weight": 500,
            "weightType": "variable",
            "stickiness": "default",
            "payload": {"type": "string", "value": name},
        }
        for name in ("blue", "green")
    ]
    return {
        "name": "flexibleRollout",
        "featureName": name,
        "sortOrder": place,
        "title": f"Part {place} of the launch in region {number % 5}",
        "parameters": {"groupId": name, "rollout": str(5 * (number % 20 + 1)), "stickiness": "default"},
        "constraints": [region, version][: (number + place) % 3],
        "segments": [number % SEGMENTS + 1] if number % 5 == 0 else [],
        "variants": variants if number % 10 == 0 else [],
    }


def export(project: int, environment: str, flags: int) -> dict:
    """The features of a project as an export has them, with the place to import them to."""
    numbers = range(flags)
    data = {
        "features": [
            {
                "name": flag(project, number),
                "type": KINDS[number % 5],
                "description": f"Shows part {number} of the page to visitors who come back within a week",
                "project": PROJECTS[project],
                "stale": number % 10 == 3,
                "impressionData": number % 8 == 0,
            }
            for number in numbers
        ],
        "featureStrategies": [strategy(project, number, place) for number in numbers for place in (0, 1)],
        "featureEnvironments": [
            {
                "name": flag(project, number),
                "featureName": flag(project, number),
                "environment": environment,
                "enabled": number % 3 > 0,
                "variants": [],
            }
            for number in numbers
        ],
        "featureTags": [
            {"featureName": flag(project, number), "tagType": "team", "tagValue": TEAMS[number % 4]}
            for number in numbers
        ],
        "segments": [{"id": number + 1, "name": f"segment-{number}"} for number in range(SEGMENTS)],
        "dependencies": [
            {"feature": flag(project, number), "dependencies": [{"feature": flag(project, number + 1)}]}
            for number in numbers
            if number % 20 == 1
        ],
        "contextFields": [],
        "tagTypes": [],
    }
    return {"project": PROJECTS[project], "environment": environment, "data": data}


def fill() -> None:
    server = Server()
    server.change("POST", "/api/admin/tag-types", {"name": "team", "description": "Owning team"})
    for field in ("region", "appVersion"):
        server.change("POST", "/api/admin/context", {"name": field})
    for number in range(SEGMENTS):
        users = [f"user-{number * 40 + user}" for user in range(40)]
        constraint = {"contextName": "userId", "operator": "IN", "values": users}
        server.change("POST", "/api/admin/segments", {"name": f"segment-{number}", "constraints": [constraint]})
    for place, project in enumerate(PROJECTS):
        server.change("POST", "/api/admin/projects", {"id": project, "name": f"The {project}"})
        for environment in ENVIRONMENTS:
            server.change("POST", "/api/admin/features-batch/import", export(place, environment, FLAGS))
        archived = {"features": [flag(place, number) for number in range(FLAGS) if number % 20 == 19]}
        server.change("POST", f"/api/admin/projects/{project}/archive", archived)


if __name__ == "__main__":
    fill()
