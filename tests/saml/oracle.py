"""Whether xmlsec1 and lxml see what the verifier accepted as it does.

    pip install lxml; apt-get install xmlsec1
    mkdir ACCEPTED; FLAGSTONE_SAML_MUTATIONS=100000 FLAGSTONE_SAML_ACCEPTED=ACCEPTED cargo test --test saml mutations
    oracle.py ACCEPTED

Each document: xmlsec1 verifies every signature of it by the provider's key, and lxml finds the one name of the user.
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lxml import etree

CERTIFICATE = Path(__file__).parent / "keys/provider.crt"
NAMES = {
    "saml": "urn:oasis:names:tc:SAML:2.0:assertion", "samlp": "urn:oasis:names:tc:SAML:2.0:protocol",
    "ds": "http://www.w3.org/2000/09/xmldsig#",
}
BASE = ["xmlsec1", "--verify", "--enabled-reference-uris", "same-doc", "--enabled-key-data", "key-name", "--pubkey-cert-pem", str(CERTIFICATE)]
IDS = ["--id-attr:ID", NAMES["saml"] + ":Assertion", "--id-attr:ID", NAMES["samlp"] + ":Response"]


def judge(path):
    try:
        tree = etree.parse(path, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        return f"{path}: lxml: {error}"
    signatures = tree.xpath("//ds:Signature", namespaces=NAMES)
    for number in range(1, len(signatures) + 1):
        place = f"(//*[local-name()='Signature' and namespace-uri()='{NAMES['ds']}'])[{number}]"
        ran = subprocess.run([*BASE, *IDS, "--node-xpath", place, path], capture_output=True)
        if ran.returncode:
            return f"{path}: xmlsec1 refuses signature {number}: {ran.stderr.decode()[:300]}"
    names = tree.xpath("/samlp:Response/saml:Assertion/saml:Subject/saml:NameID/text()", namespaces=NAMES)
    expected = "4711" if "persistent" in path.name else "alice@example.com"
    if not signatures or [name.strip() for name in names] != [expected]:
        return f"{path}: {len(signatures)} signatures, names {names}"
    return None


paths = sorted(Path(sys.argv[1]).glob("*.xml"))
with ThreadPoolExecutor(2) as pool:
    faults = [fault for fault in pool.map(judge, paths) if fault]
print("\n".join(faults[:20]))
print(f"{len(paths)} accepted documents, {len(faults)} seen otherwise")
sys.exit(bool(faults) or not paths)
