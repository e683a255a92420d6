//! Our metadata as a provider reads it, and a provider's as we do.

use std::path::Path;

use chrono::TimeDelta;
use flagstone::providers::saml::{
    certificate::{Certificate, CertificateFault, Certificates},
    metadata::{MetadataFault, ProviderMetadata, ServiceProvider},
    refusal::Reason,
};

use crate::forge::{ACS, ENTITY, OTHER_CERTIFICATE, PROVIDER, PROVIDER_CERTIFICATE, at};

const LOGOUT: &str = "https://flags.example/auth/saml/logout/done";

fn certificate(pem: &str) -> Certificate {
    Certificates::read(pem).unwrap().iter().next().unwrap().clone()
}

fn key(usage: &str, certificate: &str) -> String {
    format!(
        "<KeyDescriptor{usage}><ds:KeyInfo><ds:X509Data><ds:X509Certificate>\n{certificate}\n</ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>"
    )
}

fn document(keys: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\r\n<!-- made by hand, a=\"b -->\n<EntityDescriptor xmlns=\"urn:oasis:names:tc:SAML:2.0:metadata\" \
         xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\" entityID=\"{PROVIDER}\" validUntil=\"2027-01-01T00:00:00Z\">\
         <IDPSSODescriptor protocolSupportEnumeration=\"urn:x urn:oasis:names:tc:SAML:2.0:protocol\" WantAuthnRequestsSigned=\"true\">{keys}\
         <SingleLogoutService Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect\" Location=\"https://idp.example/slo\"/>\
         <SingleSignOnService Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST\" Location=\"https://idp.example/post\"/>\
         <SingleSignOnService Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect\" Location=\"https://idp.example/sso?a=b&amp;c\"/>\
         </IDPSSODescriptor></EntityDescriptor>"
    )
}

#[test]
fn a_provider_proposes_its_settings() {
    let [one, two] = [PROVIDER_CERTIFICATE, OTHER_CERTIFICATE].map(certificate);
    let weak = include_str!("keys/weak.crt").lines().filter(|line| !line.starts_with('-')).collect::<String>();
    let keys = [
        key(" use=\"signing\"", &one.to_base64()),
        key("", &two.to_base64()),
        key(" use=\"signing\"", &one.to_base64()),
        key(" use=\"signing\"", &weak),
        key(" use=\"encryption\"", &certificate(include_str!("keys/p256.crt")).to_base64()),
    ];
    let read = ProviderMetadata::read(format!("\u{feff}{}", document(&keys.concat())).as_bytes()).unwrap();
    assert_eq!(read.entity_id, PROVIDER);
    assert_eq!(read.sign_on_url, "https://idp.example/sso?a=b&c");
    assert_eq!(read.sign_out_url.as_deref(), Some("https://idp.example/slo"));
    assert_eq!(read.certificates.iter().collect::<Vec<_>>(), [&one, &two]);
    assert!(read.wants_signed_requests);
    assert_eq!(read.valid_until, Some(at("2027-01-01T00:00:00Z")));
    // What is proposed can be stored and read again.
    assert_eq!(Certificates::read(&read.certificates.to_pem()).unwrap(), read.certificates);
}

#[test]
fn a_real_providers_metadata_is_read() {
    for producer in PRODUCERS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/saml/fixtures/{producer}/metadata.xml"));
        let read =
            ProviderMetadata::read(&std::fs::read(path).unwrap()).unwrap_or_else(|fault| panic!("{producer}: {fault}"));
        assert!(read.sign_on_url.starts_with("http"), "{read:?}");
        assert_eq!(read.certificates.iter().next(), Some(&certificate(PROVIDER_CERTIFICATE)), "{producer}");
    }
}

const PRODUCERS: &[&str] = &["pysaml2", "simplesamlphp"];

#[test]
fn documents_that_propose_nothing_say_why() {
    let good = document(&key("", &certificate(PROVIDER_CERTIFICATE).to_base64()));
    let read = |xml: &str| ProviderMetadata::read(xml.as_bytes()).expect_err(xml);
    let idp = &good[good.find("<IDPSSO").unwrap()..good.find("</EntityDescriptor>").unwrap()];
    for (xml, fault) in [
        (good.replace(idp, ""), MetadataFault::NoProvider),
        (
            good.replace("urn:x urn:oasis:names:tc:SAML:2.0:protocol", "urn:oasis:names:tc:SAML:1.1:protocol"),
            MetadataFault::NoProvider,
        ),
        (good.replace(idp, &format!("{idp}{idp}")), MetadataFault::SeveralProviders),
        (good.replace(PROVIDER, ""), MetadataFault::NoEntityId),
        (
            good.replace("https://idp.example/sso?a=b&amp;c", "javascript:alert(1)"),
            MetadataFault::BadAddress("SingleSignOnService"),
        ),
        (good.replace("https://idp.example/slo", "/slo"), MetadataFault::BadAddress("SingleLogoutService")),
        (good.replace("HTTP-Redirect", "HTTP-Artifact"), MetadataFault::NoRedirect),
        (document(""), MetadataFault::Certificates(CertificateFault::Missing)),
        (document(&key("", "AAAA")), MetadataFault::Certificates(CertificateFault::Unreadable)),
        ("<html/>".to_owned(), MetadataFault::NoProvider),
    ] {
        assert_eq!(read(&xml), fault);
        assert!(fault.to_string().contains(' '));
    }
    for (xml, reason) in [
        ("<!DOCTYPE html><html></html>", Reason::DocumentType),
        ("{}", Reason::NotWellFormed),
        ("<a><!-- </a>", Reason::NotWellFormed),
        ("<a><![CDATA[]]></a>", Reason::Cdata),
    ] {
        let MetadataFault::Unreadable(refusal) = read(xml) else { panic!("{xml}") };
        assert_eq!(refusal.reason, reason, "{xml}");
    }
}

#[test]
fn our_own_document_names_our_addresses_and_key() {
    let [certificate, next] = [PROVIDER_CERTIFICATE, OTHER_CERTIFICATE].map(certificate);
    let both = [certificate.clone(), next.clone()];
    let ours = ServiceProvider {
        entity_id: "https://flags.example/\"&",
        acs_url: ACS,
        logout_url: Some(LOGOUT),
        certificates: &both,
        signs_requests: true,
    };
    let xml = ours.metadata();
    for part in [
        "entityID=\"https://flags.example/&quot;&amp;\"",
        "AuthnRequestsSigned=\"true\" WantAssertionsSigned=\"true\"",
        "<md:KeyDescriptor use=\"signing\">",
        &certificate.to_base64(),
        &next.to_base64(),
        &format!(
            "<md:SingleLogoutService Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect\" Location=\"{LOGOUT}\"/>"
        ),
        &format!(
            "<md:AssertionConsumerService Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST\" Location=\"{ACS}\" index=\"0\" isDefault=\"true\"/>"
        ),
    ] {
        assert!(xml.contains(part), "{part} in {xml}");
    }
    // It is well-formed, and we are no provider.
    assert_eq!(ProviderMetadata::read(xml.as_bytes()), Err(MetadataFault::NoProvider));
    let bare = ServiceProvider { entity_id: ENTITY, certificates: &[], signs_requests: false, ..ours };
    let without_logout = ServiceProvider { logout_url: None, ..bare };
    assert!(!without_logout.metadata().contains("SingleLogoutService"));
    assert_eq!(ProviderMetadata::read(without_logout.metadata().as_bytes()), Err(MetadataFault::NoProvider));
    assert!(!bare.metadata().contains("KeyDescriptor") && bare.metadata().contains("AuthnRequestsSigned=\"false\""));
}

#[test]
fn certificates_come_in_the_forms_that_people_paste() {
    let [one, two] = [PROVIDER_CERTIFICATE, OTHER_CERTIFICATE].map(certificate);
    let both = format!("Bag attributes\n{PROVIDER_CERTIFICATE}\n{OTHER_CERTIFICATE}{PROVIDER_CERTIFICATE}");
    assert_eq!(Certificates::read(&both).unwrap().iter().collect::<Vec<_>>(), [&one, &two]);
    for text in [
        one.to_base64(),
        format!("  {}\n", one.to_base64()),
        one.to_pem(),
        PROVIDER_CERTIFICATE.replace('\n', "\r\n"),
        PROVIDER_CERTIFICATE.replace('\n', " "),
        PROVIDER_CERTIFICATE.replace('\n', "\\n"),
        PROVIDER_CERTIFICATE.lines().filter(|line| !line.starts_with('-')).collect::<Vec<_>>().join("\n"),
    ] {
        assert_eq!(Certificates::read(&text).unwrap().iter().collect::<Vec<_>>(), [&one], "{text}");
    }
    let listed = format!("{}, {}\n\n{}", one.to_base64(), two.to_base64(), one.to_base64());
    assert_eq!(Certificates::read(&listed).unwrap().iter().collect::<Vec<_>>(), [&one, &two]);
    for (text, fault) in [
        ("", CertificateFault::Missing),
        (" ,\n", CertificateFault::Missing),
        (crate::forge::PROVIDER_KEY, CertificateFault::Missing),
        ("hello world", CertificateFault::Unreadable),
        ("AAAA", CertificateFault::Unreadable),
        ("-----BEGIN CERTIFICATE-----", CertificateFault::Unreadable),
        (&one.to_base64()[..400], CertificateFault::Unreadable),
        (&"A".repeat(100_001), CertificateFault::TooMany),
        (include_str!("keys/weak.crt"), CertificateFault::WeakKey),
    ] {
        assert_eq!(Certificates::read(text), Err(fault), "{text}");
    }
}

#[test]
fn expiry_is_told_ahead() {
    let certificates = Certificates::read(include_str!("keys/dated.crt")).unwrap();
    let one = certificates.iter().next().unwrap();
    assert_eq!(one.not_after(), at("2027-02-03T04:05:06Z"));
    assert_eq!(certificates.expiring(one.not_after()).count(), 0);
    assert_eq!(certificates.expiring(at("2027-01-05T04:05:06Z") + TimeDelta::days(30)).count(), 1);
    // Beyond 2049 it is written otherwise, and a certificate of version 1 has one part fewer.
    assert_eq!(certificate(include_str!("keys/late.crt")).not_after(), at("2077-02-03T04:05:06Z"));
    assert_eq!(certificate(include_str!("keys/version1.crt")).not_after(), at("2027-02-03T04:05:06Z"));
    assert_eq!(one.fingerprint().len(), 64);
}
