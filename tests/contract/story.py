#!/usr/bin/env python3
"""Plays the story that the document's examples tell on a server with an empty database.

    story.py DOCUMENT TOKENS

Sends the example of each operation of ACTS in turn, and then asks for everything that can be read: all must succeed
with a status that the document lists. What the server makes up itself (ids, secrets) is other than in the examples, so
that READ_BY_MADE_UP_NAME is left out. The server is that of FLAGSTONE_URL. TOKENS becomes a file of lines for the shell,
with personal tokens of the first user and of another one and that of the directory, as later tests need them. Where a proxy
in front of the server judges both sides by the document, CONTRACT_PROXY names the header with what it found, which must be
nothing; streams are left out then, since it waits for their end.
"""

import json
import os
import sys
from datetime import datetime, timedelta, timezone
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ["FLAGSTONE_URL"]
TOKENS = {
    "/api/client": os.environ["FLAGSTONE_CLIENT_TOKEN"],
    "/api/frontend": os.environ["FLAGSTONE_FRONTEND_TOKEN"],
    "": os.environ["FLAGSTONE_ADMIN_TOKEN"],
}

PROXY = os.environ.get("CONTRACT_PROXY", "")

# In this order, each finds what it needs.
ACTS = """
    createEnvironment createProject createUser setScimSettings createScimDirectory createScimUser createServiceAccount createBanner createTagType createTag createContextField createContextFieldForProject createSegment createStrategy
    createFeature createFeatureLink addFeatureStrategy addTag toggleFeatureEnvironmentOn createRole createGroup setRequiredReviewers createScimGroup createApiToken
    createProjectApiToken addAccessToProject createPublicSignupToken validateImport importFeatures exportFeatures
    overwriteFeatureVariants patchFeature updateFeature addFeatureDependency setUiConfig setOidcSettings setSamlSettings
    createSignInProvider
    setSignInPolicy createAddon
    setLogLevel registerClientApplication registerClientMetrics clientBulkMetrics createApplication getPlayground
    getAdvancedPlayground getValidTokens createFreezeWindow updateProjectChangeRequestConfig
""".split()

# Named by an id or a secret that the server made up, or about somebody, which an API token is not.
READ_BY_MADE_UP_NAME = {
    "beginOidcSignIn",
    "beginProviderSignIn",
    "beginSamlSignIn",
    "countActionableChangeRequests",
    "finishOidcSignIn",
    "finishProviderSamlSignIn",
    "finishProviderSignIn",
    "finishSamlSignIn",
    "getChangeRequest",
    "getChangeRequestImpact",
    "getChangeRequestProof",
    "getDefaultStrategyOfProjectEnvironment",
    "getFeatureStrategy",
    "getMyIdentities",
    "getMyPasskeys",
    "getMySecondFactor",
    "getMySessions",
    "getOidcTrial",
    "getPats",
    "getPendingChangeRequests",
    "getPersonalDashboard",
    "getPersonalDashboardProjectDetails",
    "getProviderSamlMetadata",
    "getPublicSignupToken",
    "getRequestedApprovers",
    "getSamlTrial",
    "getSegmentsByStrategyId",
    "getServiceAccountPermissions",
    "getServiceAccountTokens",
    "getSignInProviderMetadataRefresh",
    "getSignInProviderTrial",
    "oidcFrontChannelLogout",
    "providerSamlLogout",
    "samlLogout",
    "signInWithLink",
    "validatePublicSignupToken",
    "validateToken",
}


def send(method: str, path: str, body=None, **headers: str) -> tuple[int, dict, bytes]:
    data = None if body is None else json.dumps(body).encode()
    kind = {"Content-Type": "application/json"} if data else {}
    request = urllib.request.Request(URL + path, data, {**kind, **headers}, method=method.upper())
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            # A stream does not end.
            endless = answer.headers.get_content_type() == "text/event-stream"
            return answer.status, answer.headers, b"" if endless else answer.read()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.headers, refusal.read()


def play(method: str, path: str, operation: dict) -> str | None:
    """What went wrong, or nothing."""
    query = []
    for parameter in operation.get("parameters", []):
        example = parameter.get("example", parameter["schema"].get("example"))
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", urllib.parse.quote(str(example), safe=""))
        elif parameter["in"] == "query" and parameter.get("required"):
            query.append((parameter["name"], example))
    address = f"{path}?{urllib.parse.urlencode(query)}" if query else path
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
    if path.startswith("/scim") and "/scim" not in TOKENS:
        TOKENS.update({"/scim": scim_token(), "": TOKENS.pop("")})
    prefix, token = next((prefix, token) for prefix, token in TOKENS.items() if path.startswith(prefix))
    scheme = "Bearer " if prefix == "/scim" else ""
    status, headers, answer = send(method, address, body, Authorization=scheme + token)
    if PROXY and (violations := headers.get(PROXY)):
        return f"{operation['operationId']}: {method.upper()} {address} with {body}: {violations}"
    if 200 <= status < 300 and str(status) in operation["responses"]:
        return None
    return f"{operation['operationId']}: {method.upper()} {address} answered {status} {answer.decode()}"


def is_stream(operation: dict) -> bool:
    return any("text/event-stream" in answer.get("content", {}) for answer in operation["responses"].values())


def scim_token() -> str:
    """The token of the directory, which is shown once."""
    status, _, answer = send("post", "/api/admin/scim-settings/generate-new-token", Authorization=TOKENS[""])
    assert status == 200, answer
    return json.loads(answer)["token"]


def personal_token(username: str, password: str) -> str:
    status, headers, answer = send("post", "/auth/simple/login", {"username": username, "password": password})
    assert status == 200, answer
    in_a_month = datetime.now(timezone.utc) + timedelta(days=30)
    token = {"description": "tests", "expiresAt": in_a_month.isoformat(timespec="milliseconds")}
    status, _, answer = send("post", "/api/admin/user/tokens", token, Cookie=headers["Set-Cookie"].split(";")[0])
    assert status == 201, answer
    return json.loads(answer)["secret"]


def another_user() -> str:
    """Makes one who can sign in, by way of the link; the personal token of that one."""
    user = {"username": "tester", "rootRole": "Viewer"}
    status, _, answer = send("post", "/api/admin/user-admin", user, Authorization=TOKENS[""])
    assert status == 201, answer
    link = urllib.parse.urlparse(json.loads(answer)["inviteLink"])
    password = {"token": urllib.parse.parse_qs(link.query)["token"][0], "password": "Tests-Other-1"}
    status, _, answer = send("post", "/auth/reset/password", password)
    assert status == 200, answer
    return personal_token("tester", "Tests-Other-1")


def main() -> int:
    with open(sys.argv[1], encoding="utf-8") as file:
        paths = json.load(file)["paths"]
    operations = {
        operation["operationId"]: (method, path, operation)
        for path, item in paths.items()
        for method, operation in item.items()
    }
    gets = [name for name, (method, _, _) in operations.items() if method == "get"]
    reads = [name for name in gets if name not in READ_BY_MADE_UP_NAME and not (PROXY and is_stream(operations[name][2]))]
    faults = [fault for name in ACTS + reads if (fault := play(*operations[name]))]
    print(*faults, sep="\n")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        first = personal_token("admin", "Tests-Admin-1")
        file.write(f"export FLAGSTONE_PERSONAL_TOKEN={first}\nexport FLAGSTONE_OTHER_TOKEN={another_user()}\n")
        file.write(f"export FLAGSTONE_SCIM_TOKEN={TOKENS['/scim']}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
