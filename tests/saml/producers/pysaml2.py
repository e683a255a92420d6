"""Responses of PyPI `pysaml2` 7.5 with `xmlsec1`: `pip install pysaml2`, then `pysaml2.py ../keys ../fixtures/pysaml2`."""

import sys
from pathlib import Path

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT, saml, xmldsig
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.config import SPConfig
from saml2.server import Server

keys, out = Path(sys.argv[1]), Path(sys.argv[2])
ACS = "https://flags.example/auth/saml/callback"
SP = SPConfig().load({
    "entityid": "https://flags.example", "xmlsec_binary": "/usr/bin/xmlsec1",
    "key_file": str(keys / "other.key"), "cert_file": str(keys / "other.crt"),
    "encryption_keypairs": [{"key_file": str(keys / "other.key"), "cert_file": str(keys / "other.crt")}],
    "service": {"sp": {"endpoints": {"assertion_consumer_service": [(ACS, BINDING_HTTP_POST)]}}},
})
CONFIG = {
    "entityid": "https://idp.example/metadata", "xmlsec_binary": "/usr/bin/xmlsec1",
    "key_file": str(keys / "provider.key"), "cert_file": str(keys / "provider.crt"),
    "metadata": {"inline": [str(entity_descriptor(SP))]},
    "service": {"idp": {
        "endpoints": {"single_sign_on_service": [("https://idp.example/sso", BINDING_HTTP_REDIRECT)]},
        "policy": {"default": {"lifetime": {"minutes": 5}, "attribute_restrictions": None,
                               "name_form": "urn:oasis:names:tc:SAML:2.0:attrname-format:uri"}},
    }},
}
server = Server(config=IdPConfig().load(CONFIG))
(out / "metadata.xml").write_text(str(entity_descriptor(server.config)))
IDENTITY = {"mail": ["alice@example.com"], "givenName": ["Alice"], "surName": ["Ä. Example <&>"], "uid": ["admins", "developers & friends"]}


def response(kind, name_format=saml.NAMEID_FORMAT_EMAILADDRESS, value="alice@example.com", **options):
    name = saml.NameID(format=name_format, text=value)
    made = server.create_authn_response(
        IDENTITY, "_request", ACS, sp_entity_id="https://flags.example", name_id=name, userid="alice",
        authn={"class_ref": saml.AUTHN_PASSWORD, "authn_auth": "https://idp.example"}, **options)
    (out / f"{kind}.xml").write_text(str(made))


SHA256 = {"sign_alg": xmldsig.SIG_RSA_SHA256, "digest_alg": xmldsig.DIGEST_SHA256}
SHA512 = {"sign_alg": xmldsig.SIG_RSA_SHA512, "digest_alg": xmldsig.DIGEST_SHA512}
response("assertion", sign_assertion=True, sign_response=False, **SHA256)
response("response", sign_assertion=False, sign_response=True, **SHA256)
response("both", sign_assertion=True, sign_response=True, **SHA512)
response("persistent", saml.NAMEID_FORMAT_PERSISTENT, "4711", sign_assertion=True, sign_response=False, **SHA256)
response("transient", saml.NAMEID_FORMAT_TRANSIENT, "_once", sign_assertion=True, sign_response=False, **SHA256)
response("unsigned", sign_assertion=False, sign_response=False)
response("sha1", sign_assertion=True, sign_response=False, sign_alg=xmldsig.SIG_RSA_SHA1, digest_alg=xmldsig.DIGEST_SHA1)
response("encrypted", sign_assertion=True, sign_response=True, encrypt_assertion=True,
         encrypt_cert_assertion=(keys / "other.crt").read_text(), **SHA256)
