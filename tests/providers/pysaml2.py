"""PyPI `pysaml2` as a provider: `pysaml2.py PORT KEY CERTIFICATE METADATA-OF-THE-SERVER`, the last three as files."""

import sys

import flask
from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT, saml, xmldsig
from saml2.config import IdPConfig
from saml2.server import Server

port, key, certificate, metadata = sys.argv[1:]
URL = f"http://localhost:{port}"
EMAIL = "ada@pysaml2.example"
SIGNED = {"sign": True, "sign_alg": xmldsig.SIG_RSA_SHA256, "digest_alg": xmldsig.DIGEST_SHA256}
person = {"firstName": "Ada", "lastName": "Lovelace", "groups": []}
name_id = saml.NameID(format=saml.NAMEID_FORMAT_EMAILADDRESS, text=EMAIL)

provider = Server(config=IdPConfig().load({
    "entityid": f"{URL}/metadata",
    "xmlsec_binary": "/usr/bin/xmlsec1",
    "key_file": key,
    "cert_file": certificate,
    "metadata": {"local": [metadata]},
    "service": {"idp": {
        "endpoints": {
            "single_sign_on_service": [(f"{URL}/sso", BINDING_HTTP_REDIRECT)],
            "single_logout_service": [(f"{URL}/slo", BINDING_HTTP_REDIRECT)],
        },
        "want_authn_requests_signed": True,
        "policy": {"default": {"lifetime": {"minutes": 5}, "attribute_restrictions": None,
                               "name_form": saml.NAME_FORMAT_UNSPECIFIED}},
    }},
}))
[sp] = provider.metadata.service_providers()
app = flask.Flask(__name__)
app.secret_key = "of the tests"


def sent(binding, message, destination, relay_state, is_response):
    """What has the browser bring a message."""
    options = {"relay_state": relay_state, "response": is_response}
    if binding == BINDING_HTTP_REDIRECT:
        options |= {"sign": True, "sigalg": xmldsig.SIG_RSA_SHA256}
    made = provider.apply_binding(binding, str(message), destination, **options)
    if binding == BINDING_HTTP_REDIRECT:
        return flask.redirect(dict(made["headers"])["Location"])
    return made["data"]


def signed():
    return {"sigalg": flask.request.args.get("SigAlg"), "signature": flask.request.args.get("Signature")}


@app.get("/")
def home():
    return "here"


@app.put("/groups")
def tell():
    person["groups"] = flask.request.get_json()
    return ""


@app.post("/sso")
def sign_in():
    flask.session["login"] = flask.request.form["login"]
    return flask.redirect(flask.request.full_path, 303)


@app.get("/sso")
def single_sign_on():
    if "login" not in flask.session:
        return '<form method="post"><input type="text" name="login"></form>'
    relay_state = flask.request.args["RelayState"]
    asked = provider.parse_authn_request(
        flask.request.args["SAMLRequest"], BINDING_HTTP_REDIRECT, relay_state=relay_state, **signed())
    acs = asked.message.assertion_consumer_service_url
    answer = provider.create_authn_response(
        person, asked.message.id, acs, sp_entity_id=sp, name_id=name_id, userid="ada", sign_response=True,
        sign_assertion=True, authn={"class_ref": saml.AUTHN_PASSWORD, "authn_auth": URL},
        sign_alg=SIGNED["sign_alg"], digest_alg=SIGNED["digest_alg"])
    flask.session["index"] = answer.split('SessionIndex="')[1].split('"')[0]
    return sent(BINDING_HTTP_POST, answer, acs, relay_state, True)


@app.get("/slo")
def single_logout():
    given = flask.request.args
    if "SAMLResponse" in given:
        answer = provider.parse_logout_request_response(given["SAMLResponse"], BINDING_HTTP_REDIRECT)
        return f"signed out: {answer.status_ok()}"
    asked = provider.parse_logout_request(
        given["SAMLRequest"], BINDING_HTTP_REDIRECT, relay_state=given.get("RelayState"), **signed())
    assert asked.message.name_id.text == EMAIL and asked.message.session_index[0].text == flask.session["index"]
    flask.session.clear()
    answer = provider.create_logout_response(asked.message, [BINDING_HTTP_REDIRECT])
    place = provider.metadata.single_logout_service(sp, BINDING_HTTP_REDIRECT, "spsso")[0]["location"]
    return sent(BINDING_HTTP_REDIRECT, answer, place, given.get("RelayState"), True)


@app.get("/leave")
def leave():
    place = provider.metadata.single_logout_service(sp, BINDING_HTTP_REDIRECT, "spsso")[0]["location"]
    _, asked = provider.create_logout_request(place, sp, name_id=name_id, session_indexes=[flask.session.pop("index")])
    flask.session.clear()
    return sent(BINDING_HTTP_REDIRECT, asked, place, "left", False)


app.run(host="127.0.0.1", port=int(port))
