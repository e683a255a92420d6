//! Messages that a login provider is said to have sent: responses, messages about signing out, metadata.

use std::sync::LazyLock;

use arbitrary::Unstructured;
use chrono::{DateTime, Utc};
use flagstone::providers::saml::{
    certificate::Certificates,
    identity::SignedIdentity,
    logout::{LogoutExpectations, LogoutMessage},
    metadata::ProviderMetadata,
    verifier::verify,
};

use crate::{
    changes::{Choices, changed},
    forge::{PROVIDER, PROVIDER_CERTIFICATE, RESPONSE, at, expectations, noon, sign, signed},
};

/// A signed response, and who it tells.
struct Original {
    xml: String,
    now: DateTime<Utc>,
    identity: SignedIdentity,
}

impl Original {
    fn new(xml: String, now: DateTime<Utc>) -> Self {
        let identity = verify(xml.as_bytes(), &expectations(), now).expect("believed");
        Self { xml, now, identity }
    }

    fn of_a_producer(xml: &str) -> Self {
        let instant = xml.split("IssueInstant=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("an instant");
        Self::new(xml.to_owned(), at(instant))
    }

    /// Checks that what is accepted tells this identity; only the id of a response around a signed assertion may be
    /// unsigned.
    fn check(&self, xml: &[u8]) {
        let Ok(mut identity) = verify(xml, &expectations(), self.now) else { return };
        identity.response_id.clone_from(&self.identity.response_id);
        assert_eq!(identity, self.identity, "{}", String::from_utf8_lossy(xml));
    }
}

static ORIGINALS: LazyLock<Vec<Original>> = LazyLock::new(|| {
    vec![
        Original::new(signed(), noon()),
        Original::new(sign(RESPONSE, "samlp:Response"), noon()),
        Original::new(sign(&signed(), "samlp:Response"), noon()),
        Original::of_a_producer(include_str!("../saml/fixtures/samlp/prefixed.xml")),
        Original::of_a_producer(include_str!("../saml/fixtures/pysaml2/both.xml")),
        Original::of_a_producer(include_str!("../saml/fixtures/simplesamlphp/assertion.xml")),
    ]
});

/// Changes as an input makes them; when it is used up, the first of everything.
struct Given<'a>(Unstructured<'a>);

impl Choices for Given<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.0.choose_index(bound.max(1)).unwrap_or(0)
    }
}

/// A response tells the identity that was signed, or none: as it is sent, and as a change of a signed one.
pub fn responses(input: &[u8]) {
    ORIGINALS[0].check(input);
    let mut choices = Given(Unstructured::new(input));
    let original = choices.one(&ORIGINALS);
    original.check(&changed(&original.xml, &mut choices));
}

/// What says to come from a provider is read or refused, and what is proposed from metadata can be stored.
pub fn messages(input: &[u8]) {
    if let Ok(read) = ProviderMetadata::read(input) {
        assert!(!read.entity_id.is_empty() && !read.sign_on_url.is_empty());
        assert_eq!(Certificates::read(&read.certificates.to_pem()).as_ref(), Ok(&read.certificates));
    }
    let expected = LogoutExpectations {
        logout_url: "https://flags.example/auth/saml/logout/done".to_owned(),
        provider_entity_id: PROVIDER.to_owned(),
        certificates: Certificates::read(PROVIDER_CERTIFICATE).expect("a certificate"),
        skew_seconds: 60,
    };
    let of_query = |query: &str| LogoutMessage::from_query(query.trim(), &expected, noon()).ok();
    let signed = [
        include_str!("../saml/fixtures/simplesamlphp/logout-request.txt"),
        include_str!("../saml/fixtures/simplesamlphp/logout-response.txt"),
    ];
    // What the provider signed is read as it was signed, and only an answer may come unsigned.
    let read =
        [std::str::from_utf8(input).ok().and_then(of_query), LogoutMessage::from_post(input, &expected, noon()).ok()];
    for message in read.into_iter().flatten() {
        let unsigned = matches!(&message, LogoutMessage::Response(answer) if !answer.is_signed);
        assert!(unsigned || signed.into_iter().any(|query| of_query(query).as_ref() == Some(&message)), "{message:?}");
    }
}
