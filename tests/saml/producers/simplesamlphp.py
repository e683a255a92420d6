"""Messages of Debian `simplesamlphp` 1.19: `simplesamlphp.py ../fixtures/simplesamlphp NAME`, with it running at BASE.

Its configuration: `exampleauth:UserPass` with a user `alice:secret`, `saml:AttributeNameID` of `email`, signing by
`keys/provider.key`, entity id `https://idp.example/metadata`, our addresses in `saml20-sp-remote.php`. NAME names the
response, which is signed as the configuration says; with `both` the metadata and messages about signing out are kept too.
"""

import base64
import html
import http.cookiejar
import re
import sys
import urllib.parse
import urllib.request
import zlib
from datetime import datetime, timezone
from pathlib import Path

BASE = "http://127.0.0.1:18080/simplesaml"
out, name = Path(sys.argv[1]), sys.argv[2]


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, request, *rest):
        return super().redirect_request(request, *rest) if rest[-1].startswith(BASE) else None


jar = http.cookiejar.CookieJar()
browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar), Stay())


def visit(address, form=None):
    data = urllib.parse.urlencode(form).encode() if form else None
    try:
        answer = browser.open(address, data)
    except urllib.error.HTTPError as error:
        if error.code not in (302, 303):
            raise
        return error.headers["Location"], ""
    return answer.geturl(), answer.read().decode()


def fields(page):
    found = re.findall(r'<input[^>]*name="([^"]*)"[^>]*value="([^"]*)"', page)
    return {key: html.unescape(value) for key, value in found}


request = (
    '<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" '
    f'ID="_request" Version="2.0" IssueInstant="{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ}" '
    f'Destination="{BASE}/saml2/idp/SSOService.php" ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" '
    'AssertionConsumerServiceURL="https://flags.example/auth/saml/callback"><saml:Issuer>https://flags.example</saml:Issuer>'
    '<samlp:NameIDPolicy Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress" AllowCreate="true"/></samlp:AuthnRequest>'
)
deflated = zlib.compress(request.encode())[2:-4]
query = urllib.parse.urlencode({"SAMLRequest": base64.b64encode(deflated), "RelayState": "word"})
address, page = visit(f"{BASE}/saml2/idp/SSOService.php?{query}")
form = fields(page) | {"username": "alice", "password": "secret"}
address, page = visit(address.split("?")[0] + "?" + address.partition("?")[2], form)
answer = fields(page)
assert answer["RelayState"] == "word", page
(out / f"{name}.xml").write_bytes(base64.b64decode(answer["SAMLResponse"]))
if name == "both":
    (out / "metadata.xml").write_text(visit(f"{BASE}/saml2/idp/metadata.php")[1])
    address, _ = visit(f"{BASE}/saml2/idp/SingleLogoutService.php?ReturnTo=" + urllib.parse.quote(BASE))
    (out / "logout-request.txt").write_text(address.partition("?")[2] + "\n")
    print(address)
