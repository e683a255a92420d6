"""Keeps the server open while schemathesis tries everything."""

import uuid

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    # Under maintenance every change is refused with 503: switching it on ends the test of everything else.
    # Without sign-in by password nobody could be tested as a person any more.
    switches = {"/api/admin/maintenance": "enabled", "/api/admin/auth/simple/settings": "disabled"}
    switch = switches.get(case.operation.path)
    if switch and isinstance(case.body, dict) and case.body.get(switch) is True:
        case.body = {**case.body, switch: False}
    # A root role must exist, and the document cannot say which ones do.
    login = ("/api/admin/auth/oidc/settings", "/api/admin/auth/saml/settings")
    role = case.body.get("defaultRootRoleId") if case.operation.path in login and isinstance(case.body, dict) else None
    if isinstance(role, (int, float)) and not isinstance(role, bool) and 1 <= role < 2**31 and role % 1 == 0:
        case.body = {**case.body, "defaultRootRoleId": 1}
    # While SCIM is off, everything below it is 404.
    if case.operation.path == "/api/admin/scim-settings" and isinstance(case.body, dict) and case.body.get("enabled") is False:
        case.body = {**case.body, "enabled": True}
    # The label that the document tells: the protocol's own is for who does not ask for it.
    if case.operation.path.startswith("/scim"):
        case.headers = {**(case.headers or {}), "Accept": "application/json"}
    # A key that comes again is one of the request before it: the document cannot say which keys are new.
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and 1 <= len(key) <= 255:
        case.headers = {**case.headers, "Idempotency-Key": str(uuid.uuid4())}
    # Values of a context are texts, numbers and booleans, and currentTime is a time; the document can only say the former in
    # words, since TypeScript knows no type for other members beside `context`.
    if case.operation.path in ("/api/frontend", "/ofrep/v1/evaluate/flags", "/ofrep/v1/evaluate/flags/{key}"):
        case.body = single_values(case.body, keep=("context", "properties"))
    if case.operation.path in ("/api/admin/playground", "/api/admin/playground/advanced") and isinstance(case.body, dict):
        case.body = {**case.body, "context": single_values(case.body.get("context"), keep=("properties",))}


def single_values(values, keep):
    if not isinstance(values, dict):
        return values
    kept = {name: value for name, value in values.items() if name in keep or not isinstance(value, (list, dict))}
    if isinstance(kept.get("currentTime"), str):
        kept["currentTime"] = "2026-01-15T12:00:00Z"
    for name in keep:
        if isinstance(kept.get(name), dict):
            kept[name] = single_values(kept[name], keep=("properties",) if name == "context" else ())
    return kept
