//! Signatures of another shape, by others, or about something else: S10, S12, S20 to S22, S29, S30.

use flagstone::providers::saml::{certificate::Certificates, refusal::Reason, verifier::verify};

use crate::{attacks::pieces, forge::*};

#[test]
fn s10_signature_over_another_element() {
    // Of the response, put into the assertion, and the other way round.
    let of_response = sign(RESPONSE, "samlp:Response");
    let of_response = element(&of_response, "ds:Signature");
    let moved = RESPONSE.replace("<saml:Subject>", &format!("{of_response}<saml:Subject>"));
    let refusal = refused(&moved, Reason::Reference);
    assert_eq!((refusal.expected.as_deref(), refusal.found.as_deref()), (Some("#_assertion"), Some("#_response")));
    let (_, of_assertion, _) = pieces();
    let moved = RESPONSE.replace("<samlp:Status>", &format!("{of_assertion}<samlp:Status>"));
    refused(&moved, Reason::Reference);
    // Of an element that nobody reads.
    let styled = Style { uri: Some("#_other".to_owned()), ..Style::default() };
    refused(&sign_as(RESPONSE, "saml:Assertion", &styled), Reason::Reference);
    // Elsewhere in the assertion than where the schema has it.
    let late = RESPONSE.replace("</saml:Assertion>", &format!("{of_assertion}</saml:Assertion>"));
    refused(&late, Reason::SignatureMisplaced);
    let subject = RESPONSE.replace("</saml:Subject>", &format!("{of_assertion}</saml:Subject>"));
    refused(&subject, Reason::MisplacedElement);
}

#[test]
fn s12_two_signatures() {
    let (_, signature, response) = pieces();
    refused(&response.replace(&signature, &format!("{signature}{signature}")), Reason::SignatureRepeated);
    let other = Style { key: OTHER_KEY, ..Style::default() };
    let by_other = sign_as(RESPONSE, "saml:Assertion", &other);
    let by_other = element(&by_other, "ds:Signature");
    refused(&response.replace(&signature, &format!("{signature}{by_other}")), Reason::SignatureRepeated);
}

#[test]
fn s20_weak_algorithms_and_keys() {
    let sha1 = "http://www.w3.org/2000/09/xmldsig#rsa-sha1";
    let refusal = refused(
        &sign_as(RESPONSE, "saml:Assertion", &Style { algorithm: sha1.to_owned(), ..Style::default() }),
        Reason::SignatureAlgorithm,
    );
    assert_eq!(refusal.found.as_deref(), Some(sha1));
    let sha1 = "http://www.w3.org/2000/09/xmldsig#sha1";
    let refusal = refused(
        &sign_as(RESPONSE, "saml:Assertion", &Style { digest: sha1, ..Style::default() }),
        Reason::DigestAlgorithm,
    );
    assert_eq!(refusal.found.as_deref(), Some(sha1));
    let weak = Certificates::read(include_str!("keys/weak.crt")).unwrap_err();
    assert_eq!(flagstone::providers::saml::refusal::Refusal::from(weak).reason, Reason::WeakKey);
}

#[test]
fn s21_other_certificate_and_key_in_the_signature() {
    let info = |certificate: &str| {
        let certificate = Certificates::read(certificate).unwrap().iter().next().unwrap().to_base64();
        format!(
            "<ds:KeyInfo><ds:X509Data><ds:X509Certificate>{certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>"
        )
    };
    for rest in [String::new(), info(OTHER_CERTIFICATE), info(PROVIDER_CERTIFICATE)] {
        let style = Style { key: OTHER_KEY, rest, ..Style::default() };
        refused(&sign_as(RESPONSE, "saml:Assertion", &style), Reason::SignatureMismatch);
    }
    // The configured key counts, whatever the signature says of its own; and any of several.
    let xml = sign_as(RESPONSE, "saml:Assertion", &Style { rest: info(OTHER_CERTIFICATE), ..Style::default() });
    assert_eq!(identity(&xml).unwrap().subject, "alice@example.com");
    let mut both = expectations();
    both.certificates = Certificates::read(&format!("{OTHER_CERTIFICATE}{PROVIDER_CERTIFICATE}")).unwrap();
    assert!(verify(xml.as_bytes(), &both, noon()).is_ok());
    both.certificates = Certificates::read(OTHER_CERTIFICATE).unwrap();
    assert_eq!(verify(xml.as_bytes(), &both, noon()).unwrap_err().reason, Reason::SignatureMismatch);
}

#[test]
fn s22_encrypted() {
    let encrypted =
        "<saml:EncryptedAssertion xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\"></saml:EncryptedAssertion>";
    refused(&RESPONSE.replace(element(RESPONSE, "saml:Assertion"), encrypted), Reason::Encrypted);
    refused(&signed().replace("</samlp:Response>", &format!("{encrypted}</samlp:Response>")), Reason::Encrypted);
    let name = element(RESPONSE, "saml:NameID");
    refused(&signed_after(name, "<saml:EncryptedID></saml:EncryptedID>"), Reason::Encrypted);
}

#[test]
fn s29_other_transforms_and_macs() {
    let [enveloped, exclusive] = [ENVELOPED, EXCLUSIVE].map(|algorithm| method("Transform", algorithm));
    let [xslt, xpath, inclusive, comments] = [
        "http://www.w3.org/TR/1999/REC-xslt-19991116",
        "http://www.w3.org/TR/1999/REC-xpath-19991116",
        "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
        "http://www.w3.org/2001/10/xml-exc-c14n#WithComments",
    ]
    .map(|algorithm| method("Transform", algorithm));
    for transforms in [
        String::new(),
        enveloped.clone(),
        exclusive.clone(),
        format!("{exclusive}{enveloped}"),
        format!("{enveloped}{enveloped}"),
        format!("{enveloped}{exclusive}{exclusive}"),
        format!("{enveloped}{xslt}{exclusive}"),
        format!("{enveloped}{xpath}"),
        format!("{enveloped}{inclusive}"),
        format!("{enveloped}{comments}"),
        format!("{enveloped}{}", exclusive.replace("></", "><ds:XPath>1</ds:XPath></")),
        format!(
            "{}{exclusive}",
            enveloped.replace("></", "><ds:XPath>1</ds:XPath></").replace("ds:XPath", "ds:Transform")
        ),
    ] {
        let style = Style { transforms: transforms.clone(), ..Style::default() };
        let refusal = identity(&sign_as(RESPONSE, "saml:Assertion", &style)).expect_err(&transforms);
        assert!(matches!(refusal.reason, Reason::Transforms | Reason::SignatureShape), "{transforms} {refusal:?}");
    }
    let style = Style {
        canonicalization: method("CanonicalizationMethod", "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"),
        ..Style::default()
    };
    refused(&sign_as(RESPONSE, "saml:Assertion", &style), Reason::Canonicalization);
    for algorithm in [
        "http://www.w3.org/2000/09/xmldsig#hmac-sha1",
        "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256",
        "",
        "none",
    ] {
        let style = Style { algorithm: algorithm.to_owned(), ..Style::default() };
        refused(&sign_as(RESPONSE, "saml:Assertion", &style), Reason::SignatureAlgorithm);
    }
    let length = signed().replace("rsa-sha256\"></", "rsa-sha256\"><ds:HMACOutputLength>0</ds:HMACOutputLength></");
    refused(&length, Reason::SignatureShape);
}

#[test]
fn s30_objects_references_and_whole_documents() {
    let object = Style { rest: "<ds:Object></ds:Object>".to_owned(), ..Style::default() };
    refused(&sign_as(RESPONSE, "saml:Assertion", &object), Reason::SignatureShape);
    let two = signature(element(RESPONSE, "saml:Assertion"), &Style::default());
    let two = Style { second_reference: element(&two, "ds:Reference").to_owned(), ..Style::default() };
    refused(&sign_as(RESPONSE, "saml:Assertion", &two), Reason::SignatureShape);
    for uri in [
        "",
        "#",
        "_assertion",
        "#_response",
        "#xpointer(/)",
        "#xpointer(id('_assertion'))",
        "https://evil.example/#_assertion",
    ] {
        let style = Style { uri: Some(uri.to_owned()), ..Style::default() };
        refused(&sign_as(RESPONSE, "saml:Assertion", &style), Reason::Reference);
    }
    refused(&signed().replace("<ds:Reference URI=\"#_assertion\">", "<ds:Reference>"), Reason::Reference);
    for (from, to) in [
        ("<ds:SignatureValue>", "<ds:SignatureValue><ds:a></ds:a>"),
        ("<ds:SignatureValue>", "<ds:SignatureValue>!"),
        ("<ds:SignatureValue>", "text<ds:SignatureValue>"),
        ("<ds:Reference ", "text<ds:Reference "),
        ("</ds:Signature>", "<ds:KeyInfo/><ds:KeyInfo/></ds:Signature>"),
        ("<ds:SignedInfo>", "<ds:KeyInfo/><ds:SignedInfo>"),
        ("<ds:SignedInfo>", "<ds:SignedInfo><ds:SignedInfo/>"),
    ] {
        refused(&twist(&signed(), from, to), Reason::SignatureShape);
    }
    // Whatever is signed and then changed.
    for (from, to) in [
        ("alice@example.com", "mallory@example.com"),
        (">admins<", ">owners<"),
        ("_session", "_other"),
        ("12:05:00Z\"><saml:Aud", "12:06:00Z\"><saml:Aud"),
    ] {
        refused(&twist(&signed(), from, to), Reason::DigestMismatch);
    }
    refused(&twist(&signed(), "<ds:Transforms>", "<ds:Transforms> "), Reason::SignatureMismatch);
}
