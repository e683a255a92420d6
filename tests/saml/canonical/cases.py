"""Documents with the exclusive canonical form that libxml2 gives them, one JSON object a line.

    pip install lxml
    cases.py 10000 > CASES && FLAGSTONE_CANONICAL_CASES=CASES cargo test --package flagstone-providers canonical -- --ignored

The committed `cases.jsonl` is the output for 120. Each case: the document, which element of it in document order is
canonicalised, which is left out of it (or null), and the prefixes that are treated inclusively.
"""

import ctypes
import ctypes.util
import json
import random
import sys

from lxml import etree

chance = random.Random(20261122)
PREFIXES = ["", "a", "b", "c", "saml", "ds"]
URIS = ["urn:a", "urn:b", "urn:c", "http://x.example/?a=b", "urn:d'e"]
NAMES = ["x", "y", "Z", "é", "a-b", "a.b", "_1"]
TEXTS = ["text", " ", "\n\t", "é👩", "&amp;", "&lt;", "&gt;", ">", "\"", "'", "&#xD;", "&#13;&#10;", "&#9;", "&#xe9;", "\r\n", "]]&gt;", "a\u00a0b", "\u2028"]
VALUES = ["", "v", " v  w ", "\t", "\n", "\r\n", "&#9;", "&#10;", "&#13;", "&amp;", "&lt;", ">", "'", "&quot;", "é", "&#x1F469;"]


def attribute_value(parts):
    value = "".join(parts)
    return f"'{value}'" if "'" not in value and chance.random() < 0.3 else f'"{value}"'


def element(scope, depth):
    scope = dict(scope)
    parts = []
    for prefix in chance.sample(PREFIXES, chance.choice([0, 0, 1, 1, 2, 3])):
        uri = chance.choice(URIS + ([""] if not prefix else []))
        scope[prefix] = uri
        parts.append(f'xmlns{":" if prefix else ""}{prefix}={attribute_value([uri])}')
    if chance.random() < 0.03:
        parts.append('xmlns:xml="http://www.w3.org/XML/1998/namespace"')
    known = [prefix for prefix in scope if prefix]
    seen = set()
    for _ in range(chance.choice([0, 0, 1, 2, 4])):
        prefix = chance.choice(["", "", "xml"] + known)
        name = chance.choice(["lang", "space", "base"] if prefix == "xml" else NAMES)
        key = (scope.get(prefix) if prefix and prefix != "xml" else prefix, name)
        if key in seen or (prefix == "xml" and name == "space"):
            continue
        seen.add(key)
        value = attribute_value(chance.choices(VALUES, k=chance.choice([0, 1, 2, 3])))
        parts.append(f'{prefix}{":" if prefix else ""}{name}{chance.choice(["=", " = ", "=" + chr(10)])}{value}')
    chance.shuffle(parts)
    prefix = chance.choice([prefix for prefix in [""] + known])
    name = f'{prefix}{":" if prefix else ""}{chance.choice(NAMES)}'
    start = "<" + name + "".join(chance.choice([" ", "\n  ", "\t"]) + part for part in parts) + chance.choice(["", " ", "\n"])
    children = ""
    if depth < 6:
        for _ in range(chance.choice([0, 1, 2, 3])):
            children += element(scope, depth + 1) if chance.random() < 0.6 else chance.choice(TEXTS)
    return start + "/>" if not children and chance.random() < 0.7 else f"{start}>{children}</{name}{chance.choice(['', ' '])}>"


libxml2 = ctypes.CDLL(ctypes.util.find_library("xml2"))
libxml2.xmlReadMemory.restype = ctypes.c_void_p
libxml2.xmlFreeDoc.argtypes = [ctypes.c_void_p]


def whole_document(xml, inclusive):
    """The form of the root element, straight from libxml2: lxml loses `#default` on its way there."""
    document = ctypes.c_void_p(libxml2.xmlReadMemory(xml, len(xml), None, None, 0))
    prefixes = (ctypes.c_char_p * (len(inclusive) + 1))(*[prefix.encode() for prefix in inclusive], None)
    out = ctypes.c_char_p()
    length = libxml2.xmlC14NDocDumpMemory(document, None, 1, prefixes, 0, ctypes.byref(out))
    libxml2.xmlFreeDoc(document)
    return out.value[:length].decode()


def cases(count):
    while count:
        xml = chance.choice(["", '<?xml version="1.0"?>\n', "\n"]) + element({}, 0) + chance.choice(["", "\n"])
        root = etree.fromstring(xml.encode())
        elements = list(root.iter())
        at = 0 if chance.random() < 0.4 else chance.randrange(len(elements))
        apex = elements[at]
        inner = [node for node in apex.iter() if node is not apex]
        without = None
        if inner and chance.random() < 0.4:
            left_out = chance.choice(inner)
            without = elements.index(left_out)
            # lxml takes the text after an element away with it.
            before, parent = left_out.getprevious(), left_out.getparent()
            tail = left_out.tail or ""
            if before is not None:
                before.tail = (before.tail or "") + tail
            else:
                parent.text = (parent.text or "") + tail
            parent.remove(left_out)
        inclusive = chance.sample(["a", "b", "c", "saml", "unknown"], chance.choice([0, 0, 0, 1, 2, 4]))
        if at == 0 and without is None:
            inclusive += chance.choice([[], ["#default"]])
            form = whole_document(xml.encode(), inclusive).encode()
        else:
            options = {"exclusive": True, "with_comments": False, "inclusive_ns_prefixes": inclusive or None}
            form = etree.tostring(apex, method="c14n", **options)
        yield {"xml": xml, "element": at, "without": without, "inclusive": inclusive, "form": form.decode()}
        count -= 1


for case in cases(int(sys.argv[1])):
    print(json.dumps(case, ensure_ascii=False))
