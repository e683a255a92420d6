//! Signed by the provider, then changed by somebody else: S1 to S9, S11, S13 to S15, S26 to S28.

use flagstone::providers::saml::{refusal::Reason, verifier::verify};

use crate::forge::*;

/// The assertion without its signature, the signature, and the whole response.
pub fn pieces() -> (String, String, String) {
    let response = signed();
    let signature = element(&response, "ds:Signature").to_owned();
    (element(RESPONSE, "saml:Assertion").to_owned(), signature, response)
}

/// An assertion of mallory's with a piece put in right after its issuer.
fn evil_with(id: &str, piece: &str) -> String {
    evil_assertion(id).replacen("</saml:Issuer>", &format!("</saml:Issuer>{piece}"), 1)
}

#[test]
fn s00_untouched_responses_are_believed() {
    let by_assertion = identity(&signed()).unwrap();
    assert_eq!(by_assertion.email, "alice@example.com");
    for xml in [sign(RESPONSE, "samlp:Response"), sign(&signed(), "samlp:Response")] {
        assert_eq!(identity(&xml).unwrap(), by_assertion);
    }
}

#[test]
fn s01_signed_response_inside_of_the_signature_of_another() {
    let original = sign(RESPONSE, "samlp:Response");
    let signature = element(&original, "ds:Signature");
    let inner = RESPONSE;
    let wrapped = signature.replace("</ds:Signature>", &format!("{inner}</ds:Signature>"));
    let evil = RESPONSE
        .replace("alice", "mallory")
        .replace("\"_response\"", "\"_evil\"")
        .replace("\"_assertion\"", "\"_evil2\"");
    let evil = evil.replacen("</saml:Issuer>", &format!("</saml:Issuer>{wrapped}"), 1);
    refused(&evil, Reason::MisplacedElement);
}

#[test]
fn s02_signed_response_before_a_detached_signature() {
    let original = sign(RESPONSE, "samlp:Response");
    let signature = element(&original, "ds:Signature");
    let evil = RESPONSE
        .replace("alice", "mallory")
        .replace("\"_response\"", "\"_evil\"")
        .replace("\"_assertion\"", "\"_evil2\"");
    let evil = evil.replacen("</saml:Issuer>", &format!("</saml:Issuer>{RESPONSE}{signature}"), 1);
    refused(&evil, Reason::MisplacedElement);
}

#[test]
fn s03_evil_assertion_before_the_signed_one() {
    let (_, _, response) = pieces();
    let evil = twist(&response, "<saml:Assertion", &format!("{}<saml:Assertion", evil_assertion("_evil")));
    refused(&evil, Reason::AssertionRepeated);
    let after = twist(&response, "</samlp:Response>", &format!("{}</samlp:Response>", evil_assertion("_evil")));
    refused(&after, Reason::AssertionRepeated);
}

#[test]
fn s04_signed_assertion_inside_of_an_evil_one() {
    let (_, _, response) = pieces();
    let original = element(&response, "saml:Assertion");
    let evil = evil_assertion("_evil").replace("</saml:Assertion>", &format!("{original}</saml:Assertion>"));
    refused(&response.replace(original, &evil), Reason::MisplacedElement);
    let advised = evil_with("_evil", &format!("<saml:Advice>{original}</saml:Advice>"));
    refused(&response.replace(original, &advised), Reason::MisplacedElement);
}

#[test]
fn s05_signature_moved_into_an_evil_assertion_beside_the_original() {
    let (original, signature, response) = pieces();
    let evil = evil_with("_evil", &signature);
    let both = response.replace(element(&response, "saml:Assertion"), &format!("{evil}{original}"));
    refused(&both, Reason::AssertionRepeated);
}

#[test]
fn s06_original_inside_of_the_signature_of_an_evil_assertion() {
    let (original, signature, response) = pieces();
    let wrapped = signature.replace("</ds:Signature>", &format!("{original}</ds:Signature>"));
    let evil = evil_with("_evil", &wrapped);
    refused(&response.replace(element(&response, "saml:Assertion"), &evil), Reason::MisplacedElement);
}

#[test]
fn s07_evil_assertion_in_extensions() {
    let (_, _, response) = pieces();
    for id in ["_evil", "_assertion"] {
        let extension = format!("<samlp:Extensions>{}</samlp:Extensions><samlp:Status>", evil_assertion(id));
        refused(&twist(&response, "<samlp:Status>", &extension), Reason::MisplacedElement);
    }
}

#[test]
fn s08_original_in_an_object_of_the_signature() {
    let (original, signature, response) = pieces();
    let wrapped = signature.replace("</ds:Signature>", &format!("<ds:Object>{original}</ds:Object></ds:Signature>"));
    let evil = evil_with("_evil", &wrapped);
    refused(&response.replace(element(&response, "saml:Assertion"), &evil), Reason::MisplacedElement);
}

#[test]
fn s09_unsigned_response_and_assertion() {
    refused(RESPONSE, Reason::Unsigned);
    let (_, signature, response) = pieces();
    refused(&response.replace(&signature, ""), Reason::Unsigned);
    // A signature that is there must hold, also beside one that does.
    let both = sign(&signed(), "samlp:Response");
    refused(&both.replacen("ID=\"_response\"", "Consent=\"x\" ID=\"_response\"", 1), Reason::DigestMismatch);
}

#[test]
fn s11_two_assertions() {
    let (_, _, response) = pieces();
    let second = sign(&RESPONSE.replace("\"_assertion\"", "\"_second\""), "saml:Assertion");
    let second = element(&second, "saml:Assertion");
    refused(&response.replace("</samlp:Response>", &format!("{second}</samlp:Response>")), Reason::AssertionRepeated);
    // Twice the same.
    let same = element(&response, "saml:Assertion").to_owned();
    refused(&response.replace("</samlp:Response>", &format!("{same}</samlp:Response>")), Reason::IdRepeated);
    let none = twist(RESPONSE, element(RESPONSE, "saml:Assertion"), "");
    refused(&sign(&none, "samlp:Response"), Reason::AssertionMissing);
}

#[test]
fn s13_comment_in_the_name() {
    for name in ["alice@example.com<!-- -->.evil", "<!-- -->alice@example.com", "alice@example.com<!---->"] {
        refused(&signed().replace(">alice@example.com<", &format!(">{name}<")), Reason::Comment);
        refused(&signed_after(">alice@example.com<", &format!(">{name}<")), Reason::Comment);
    }
    let split = signed_after(">alice@example.com<", ">alice@example.com<saml:b></saml:b>.evil<");
    refused(&split, Reason::NameIdMissing);
}

#[test]
fn s14_documents_that_parsers_see_differently() {
    let xml = signed();
    let doctype = |text: &str| format!("<!DOCTYPE {text}>{xml}");
    refused(&doctype("Response"), Reason::DocumentType);
    refused(&doctype("Response [<!ATTLIST saml:Assertion ID ID #IMPLIED>]"), Reason::DocumentType);
    refused(&doctype("Response [<!ENTITY a 'alice'>]"), Reason::DocumentType);
    refused(&xml.replace(">alice@", ">&a;lice@"), Reason::NotWellFormed);
    refused(&xml.replace("ID=\"_response\"", "ID=\"_assertion\""), Reason::IdRepeated);
    refused(&xml.replace("<samlp:Status>", "<samlp:Status ID=\"_assertion\">"), Reason::IdRepeated);
    refused(&xml.replace("<samlp:Status>", "<samlp:Status Id=\"_assertion\">"), Reason::IdRepeated);
    for (from, to) in [
        (" ID=\"_response\"", " ID=\"_response\" ID=\"_other\""),
        (" ID=\"_response\"", " x:y=\"\" ID=\"_response\""),
        ("<samlp:Status>", "<samlp:Status xmlns:a=\"u:u\" xmlns:b=\"u:u\" a:c=\"\" b:c=\"\">"),
        ("<samlp:Status>", "<samlp:Status xmlns:a=\"\">"),
        ("<samlp:Status>", "<samlp:Status xmlns:xml=\"urn:x\">"),
        ("<samlp:Status>", "<samlp:Status xmlns:xmlns=\"urn:x\">"),
        ("<samlp:Status>", "<samlp:Status xmlns:a=\"http://www.w3.org/2000/xmlns/\">"),
        ("<samlp:Status>", "<samlp:Status xmlns:a=\"http://www.w3.org/XML/1998/namespace\">"),
        ("<samlp:Status>", "<samlp:Status a='<'>"),
        ("<samlp:Status>", "<samlp:Status a=b>"),
        ("<samlp:Status>", "]]><samlp:Status>"),
        ("<samlp:Status>", "&#0;<samlp:Status>"),
        ("<samlp:Status>", "\u{1}<samlp:Status>"),
        ("<samlp:Status>", "\u{fffe}<samlp:Status>"),
        ("<samlp:Status>", "&nbsp;<samlp:Status>"),
        ("<samlp:Status>", "& <samlp:Status>"),
        ("<samlp:Status>", "<-></-><samlp:Status>"),
        ("<samlp:Status>", "<a:b:c xmlns:a=\"u:u\"/><samlp:Status>"),
    ] {
        refused(&twist(&xml, from, to), Reason::NotWellFormed);
    }
}

#[test]
fn s14_namespaces_that_canonical_forms_differ_in() {
    for uri in [
        "\"urn:a&amp;b\"",
        "\"urn:a&#x20;b\"",
        "'urn:a\"b'",
        "\"urn:a b\"",
        "\"urn:a\nb\"",
        "' urn:a'",
        "'urn:é'",
        "'u'",
        "'/a'",
        "':a'",
        "'1:a'",
        "'a b:c'",
        "'urn:a>b'",
        "'urn:a|b'",
    ] {
        refused(&signed_after("<saml:Subject>", &format!("<saml:Subject xmlns:a={uri}>")), Reason::BadNamespace);
    }
}

#[test]
fn s15_entities_and_what_they_fetch() {
    let bomb =
        (1..20).fold("<!ENTITY a0 'ha'>".to_owned(), |text, n| format!("{text}<!ENTITY a{n} '&a{0};&a{0};'>", n - 1));
    for declared in [
        bomb.as_str(),
        "<!ENTITY x SYSTEM 'file:///etc/passwd'>",
        "<!ENTITY % x SYSTEM 'http://127.0.0.1:1/x.dtd'> %x;",
    ] {
        let xml = format!("<?xml version=\"1.0\"?><!DOCTYPE r [{declared}]>{}", signed().replace(">alice@", ">&x;@"));
        refused(&xml, Reason::DocumentType);
    }
    refused(
        &signed()
            .replace(
                "<samlp:Status>",
                "<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"file:///etc/passwd\"/><samlp:Status>",
            )
            .replace("ID=\"_assertion\"", "ID=\"_assertion\" x=\"\""),
        Reason::DigestMismatch,
    );
}

#[test]
fn s26_what_no_message_needs() {
    let xml = signed();
    refused(&xml.replace(">alice@", "><![CDATA[alice]]>@"), Reason::Cdata);
    refused(&xml.replace(">alice@", "><?x y?>alice@"), Reason::ProcessingInstruction);
    refused(&format!("<?xml-stylesheet href='x'?>{xml}"), Reason::ProcessingInstruction);
    refused(&format!(" <?xml version=\"1.0\"?>{xml}"), Reason::ProcessingInstruction);
    refused(&format!("<?xml version=\"1.1\"?>{xml}"), Reason::XmlVersion);
    for encoding in ["UTF-7", "UTF-16", "ISO-8859-1", "utf8"] {
        refused(&format!("<?xml version=\"1.0\" encoding='{encoding}'?>{xml}"), Reason::XmlEncoding);
    }
    assert!(identity(&format!("<?xml version='1.0' encoding=\"utf-8\" standalone='no' ?>\n{xml}\n")).is_ok());
    refused(&format!("{xml}\u{0}"), Reason::XmlEncoding);
    for after in ["text", "<a/>", "]]>", "&#32;"] {
        refused(&format!("{xml}{after}"), Reason::NotWellFormed);
    }
    refused(&format!("{xml}<!-- -->"), Reason::Comment);
    refused(&format!("\u{feff}{xml}"), Reason::XmlEncoding);
    let wide: Vec<u8> = xml.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let refusal = verify(&wide, &expectations(), noon()).unwrap_err();
    assert_eq!(refusal.reason, Reason::XmlEncoding);
    let refusal = verify(b"<a>\xff</a>", &expectations(), noon()).unwrap_err();
    assert_eq!(refusal.reason, Reason::NotUtf8);
    refused(&xml.replace("<samlp:Status>", "\r<samlp:Status>"), Reason::CarriageReturn);
    // Line ends of Windows are line ends, as the provider's own canonical form has them.
    let lines = signed_after("<saml:Subject>", "\n<saml:Subject>").replace('\n', "\r\n");
    assert!(identity(&lines).is_ok());
}

#[test]
fn s27_other_identifiers() {
    for name in ["xml:id", "x:ID", "x:Id", "x:AssertionID"] {
        let attribute = format!(" ID=\"_assertion\" xmlns:x=\"urn:x\" {name}=\"_assertion\"");
        refused(&signed().replace(" ID=\"_assertion\"", &attribute), Reason::IdInNamespace);
        let instead = format!(" xmlns:x=\"urn:x\" {name}=\"_assertion\"");
        refused(&signed().replace(" ID=\"_assertion\"", &instead), Reason::IdInNamespace);
    }
    for name in ["Id", "id", "AssertionID", "ASSERTIONID"] {
        refused(&signed().replace(" ID=\"_assertion\"", &format!(" {name}=\"_assertion\"")), Reason::Reference);
        let elsewhere = format!("<samlp:Status {name}=\"_assertion\">");
        refused(&signed().replace("<samlp:Status>", &elsewhere), Reason::IdRepeated);
    }
}

#[test]
fn s28_foreign_namespaces() {
    for name in
        ["Assertion", "Response", "Signature", "NameID", "Subject", "SignedInfo", "DigestValue", "EncryptedAssertion"]
    {
        for start in
            [format!("<x:{name} xmlns:x=\"urn:x\"/>"), format!("<{name}/>"), format!("<{name} xmlns=\"urn:x\"/>")]
        {
            refused(&signed().replace("<samlp:Status>", &format!("{start}<samlp:Status>")), Reason::ForeignNamespace);
        }
    }
    let old = signed().replace("urn:oasis:names:tc:SAML:2.0:assertion", "urn:oasis:names:tc:SAML:1.0:assertion");
    refused(&old, Reason::ForeignNamespace);
    let refusal = refused(&signed().replace("urn:oasis:names:tc:SAML:2.0:protocol", "urn:x"), Reason::WrongRoot);
    assert_eq!(refusal.found.as_deref(), Some("Response"));
}
