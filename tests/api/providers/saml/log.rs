//! That each refusal of a forged response reaches the log with its reason, line by line of the list of cases.
//! `tests/saml` has many more forms of each.

use super::{
    Company, WORD,
    forge::{
        OTHER_KEY, RESPONSE, Style, element, evil_assertion, method, sign, sign_as, signature, signed, signed_after,
        twist,
    },
};

/// A line of the list, how its response is made, and the reason in the log.
type Line = (&'static str, fn() -> String, &'static str);

fn of_response() -> String {
    element(&sign(RESPONSE, "samlp:Response"), "ds:Signature").to_owned()
}

fn of_assertion() -> String {
    element(&signed(), "ds:Signature").to_owned()
}

/// An unsigned response for somebody else, with this after its first issuer.
fn evil_response(piece: &str) -> String {
    let evil = RESPONSE
        .replace("alice", "mallory")
        .replace("\"_response\"", "\"_evil\"")
        .replace("\"_assertion\"", "\"_evil2\"");
    evil.replacen("</saml:Issuer>", &format!("</saml:Issuer>{piece}"), 1)
}

/// The signed response with this in the place of its assertion.
fn instead(assertion: &str) -> String {
    let xml = signed();
    xml.replace(element(&xml, "saml:Assertion"), assertion)
}

/// An unsigned assertion for somebody else, with this after its issuer.
fn evil(piece: &str) -> String {
    evil_assertion("_evil").replacen("</saml:Issuer>", &format!("</saml:Issuer>{piece}"), 1)
}

fn original() -> &'static str {
    element(RESPONSE, "saml:Assertion")
}

fn styled(style: &Style) -> String {
    sign_as(RESPONSE, "saml:Assertion", style)
}

const LINES: &[Line] = &[
    (
        "S1",
        || evil_response(&of_response().replace("</ds:Signature>", &format!("{RESPONSE}</ds:Signature>"))),
        "misplaced-element",
    ),
    ("S2", || evil_response(&format!("{RESPONSE}{}", of_response())), "misplaced-element"),
    ("S3", || instead(&format!("{}{}", evil(""), element(&signed(), "saml:Assertion"))), "assertion-repeated"),
    (
        "S4",
        || {
            let signed = signed();
            let inner = element(&signed, "saml:Assertion");
            instead(&evil("").replace("</saml:Assertion>", &format!("{inner}</saml:Assertion>")))
        },
        "misplaced-element",
    ),
    ("S5", || instead(&format!("{}{}", evil(&of_assertion()), original())), "assertion-repeated"),
    (
        "S6",
        || instead(&evil(&of_assertion().replace("</ds:Signature>", &format!("{}</ds:Signature>", original())))),
        "misplaced-element",
    ),
    (
        "S7",
        || {
            let extension = format!("<samlp:Extensions>{}</samlp:Extensions><samlp:Status>", evil(""));
            twist(&signed(), "<samlp:Status>", &extension)
        },
        "misplaced-element",
    ),
    (
        "S8",
        || {
            let object = format!("<ds:Object>{}</ds:Object></ds:Signature>", original());
            instead(&evil(&of_assertion().replace("</ds:Signature>", &object)))
        },
        "misplaced-element",
    ),
    ("S9", || RESPONSE.to_owned(), "unsigned"),
    ("S10", || RESPONSE.replace("<saml:Subject>", &format!("{}<saml:Subject>", of_response())), "reference"),
    ("S11", || signed().replace("</samlp:Response>", &format!("{}</samlp:Response>", evil(""))), "assertion-repeated"),
    (
        "S12",
        || {
            let signature = of_assertion();
            signed().replace(&signature, &format!("{signature}{signature}"))
        },
        "signature-repeated",
    ),
    ("S13", || twist(&signed(), ">alice@example.com<", ">alice@example.com<!-- -->.evil<"), "comment"),
    ("S14", || signed().replace("ID=\"_response\"", "ID=\"_assertion\""), "id-repeated"),
    ("S15", || format!("<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>{}", signed()), "document-type"),
    (
        "S20",
        || {
            let algorithm = "http://www.w3.org/2000/09/xmldsig#rsa-sha1".to_owned();
            styled(&Style { algorithm, ..Style::default() })
        },
        "signature-algorithm",
    ),
    (
        "S20",
        || styled(&Style { digest: "http://www.w3.org/2000/09/xmldsig#sha1", ..Style::default() }),
        "digest-algorithm",
    ),
    ("S21", || styled(&Style { key: OTHER_KEY, ..Style::default() }), "signature-mismatch"),
    ("S22", || signed_after(element(RESPONSE, "saml:NameID"), "<saml:EncryptedID></saml:EncryptedID>"), "encrypted"),
    ("S26", || twist(&signed(), ">alice@", "><![CDATA[alice]]>@"), "cdata"),
    ("S26", || twist(&signed(), ">alice@", "><?x y?>alice@"), "processing-instruction"),
    ("S26", || format!("<?xml version=\"1.1\"?>{}", signed()), "xml-version"),
    ("S26", || format!("<?xml version=\"1.0\" encoding='UTF-7'?>{}", signed()), "xml-encoding"),
    ("S26", || format!("{}text", signed()), "not-well-formed"),
    ("S27", || signed().replace(" ID=\"_assertion\"", " ID=\"_assertion\" xml:id=\"_other\""), "id-in-namespace"),
    ("S28", || twist(&signed(), "<samlp:Status>", "<NameID xmlns=\"urn:x\"/><samlp:Status>"), "foreign-namespace"),
    (
        "S29",
        || {
            let transforms = method("Transform", "http://www.w3.org/TR/1999/REC-xslt-19991116");
            styled(&Style { transforms, ..Style::default() })
        },
        "transforms",
    ),
    (
        "S29",
        || {
            let algorithm = "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256".to_owned();
            styled(&Style { algorithm, ..Style::default() })
        },
        "signature-algorithm",
    ),
    ("S30", || styled(&Style { uri: Some(String::new()), ..Style::default() }), "reference"),
    ("S30", || styled(&Style { rest: "<ds:Object></ds:Object>".to_owned(), ..Style::default() }), "signature-shape"),
    (
        "S30",
        || {
            let twice = signature(original(), &Style::default());
            let second_reference = element(&twice, "ds:Reference").to_owned();
            styled(&Style { second_reference, ..Style::default() })
        },
        "signature-shape",
    ),
    ("S31", || twist(&signed(), "status:Success", "status:Responder"), "provider-status"),
    (
        "S33",
        || {
            let attributes = (0..101).map(|n| format!("a{n}=\"\" ")).collect::<Vec<_>>().concat();
            twist(&signed(), "<samlp:Status>", &format!("<a {attributes}/><samlp:Status>"))
        },
        "too-many-attributes",
    ),
    (
        "S33",
        || twist(&signed(), "<samlp:Status>", &format!("{}{}<samlp:Status>", "<a>".repeat(41), "</a>".repeat(41))),
        "too-deep",
    ),
];

#[tokio::test]
async fn each_reason_reaches_the_log() {
    let company = Company::new().await;
    for (line, response, reason) in LINES {
        let answer = company.bring(&mut company.browser(), &response()).await;
        assert_eq!(company.reason(answer, WORD).await["reason"], *reason, "{line}");
        // Thirty refusals a minute are one address's share.
        company.app.clock.advance(3000);
    }
    let users = company.app.admin().get("/api/admin/user-admin").await.expect(200);
    assert_eq!(users["users"], serde_json::json!([]));
}
