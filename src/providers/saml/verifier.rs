//! Whether a SAML response was signed by the configured provider, for the one shape of signature that SAML has (SAML
//! core 2.0, section 5.4; XML Signature 1.0). This is the code that an attacker studies, so it is narrow: it refuses
//! whatever it does not need to understand, and what is read afterwards are the very nodes whose digest was compared.
//!
//! The steps are those of `docs/security/saml.md`: bytes (1) and tree (2) in `document`, here the whole tree (3), the
//! shape of signatures (4) and what they sign (5); what the signed assertion says (6, 7) is read in `assertion`.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use ring::digest;
use roxmltree::Node;

use super::{
    algorithm::{Algorithm, digest_of},
    assertion,
    canonical::canonical,
    certificate::{Certificate, Certificates, decode},
    document::{self, MAX_BYTES, MAX_NAMESPACES, Source, elements, required, text, trim},
    identity::SignedIdentity,
    names::{DS, ENVELOPED, EXCLUSIVE, SAML, SAMLP, SUCCESS},
    refusal::{Reason, Refusal},
};

/// Real messages have some five.
const MAX_IDENTIFIERS: usize = 1000;

/// Expectations of a response: the settings in force.
#[derive(Clone, Debug)]
pub struct Expectations {
    /// Our entity id, which the audience must name.
    pub entity_id: String,
    /// The address that the browser posts to.
    pub acs_url: String,
    /// The provider's entity id.
    pub provider_entity_id: String,
    /// Certificates whose keys may sign.
    pub certificates: Certificates,
    /// Seconds by which clocks may differ; over 300 count as 300.
    pub skew_seconds: u16,
    /// Whether a sign-in may begin at the provider: without it a response that answers no request is refused.
    pub allow_unsolicited: bool,
    /// Name of the attribute with the email; absent for the `NameID` or the usual attributes.
    pub email_attribute: Option<String>,
}

/// Returns the identity that a response asserts, given its XML. That its request came from the same browser is left to
/// [`SignedIdentity::check_request`], that it comes for the first time to the caller.
pub fn verify(xml: &[u8], expected: &Expectations, now: DateTime<Utc>) -> Result<SignedIdentity, Refusal> {
    let text = document::prepare(xml, Source::Message)?;
    let document = document::parse(&text)?;
    let response = document.root_element();
    let assertion = assertion_of(response)?;
    let by_response = check_signature(response, &expected.certificates)?;
    let by_assertion = check_signature(assertion, &expected.certificates)?;
    if !by_response && !by_assertion {
        return Err(Reason::Unsigned.into());
    }
    assertion::read(response, assertion, expected, now)
}

/// Step 3 for a response, and its only assertion.
fn assertion_of<'a, 'i>(response: Node<'a, 'i>) -> Result<Node<'a, 'i>, Refusal> {
    check_tree(response, "Response")?;
    check_status(response)?;
    let mut assertions = document::all(response, SAML, "Assertion");
    let assertion = assertions.next().ok_or(Reason::AssertionMissing)?;
    if assertions.next().is_some() { Err(Reason::AssertionRepeated.into()) } else { Ok(assertion) }
}

/// The XML in a form field of the POST binding, at most 1 MiB.
pub fn decode_form(value: &str) -> Result<Vec<u8>, Refusal> {
    // Four signs make three bytes, and some producers break lines.
    if value.len() > MAX_BYTES * 3 / 2 {
        return Err(Reason::TooLarge.into());
    }
    decode(value).ok_or_else(|| Reason::NotBase64.into())
}

/// Names that decide something, with their namespace: in another one they are bait for a reader that looks for local
/// names.
fn home(local: &str) -> Option<&'static str> {
    match local {
        "Response" | "LogoutRequest" | "LogoutResponse" | "Status" => Some(SAMLP),
        "Assertion" | "EncryptedAssertion" | "EncryptedID" | "Issuer" | "NameID" | "Subject" | "Conditions"
        | "Audience" | "AttributeStatement" => Some(SAML),
        "Signature" | "SignedInfo" | "Reference" | "SignatureValue" | "DigestValue" => Some(DS),
        _ => None,
    }
}

/// Step 3, over every element, signed or not: nothing may stand in the document that another reading could take for the
/// message. This is what wrapping attacks live on: a second assertion, a second signature, a second owner of an
/// identifier.
pub(super) fn check_tree(root: Node<'_, '_>, name: &'static str) -> Result<(), Refusal> {
    if !root.has_tag_name((SAMLP, name)) {
        return Err(Refusal::instead(Reason::WrongRoot, name, Some(root.tag_name().name())));
    }
    let mut identifiers = HashSet::new();
    for node in root.descendants().filter(Node::is_element) {
        for attribute in node.attributes() {
            let local = attribute.name();
            if !local.eq_ignore_ascii_case("id") && !local.eq_ignore_ascii_case("assertionid") {
                continue;
            }
            // `xml:id` and `x:ID` are identifiers to some readers.
            if attribute.namespace().is_some() {
                return Err(Refusal::found(Reason::IdInNamespace, local));
            }
            // The reference of a signature could mean either.
            if !identifiers.insert(attribute.value()) {
                return Err(Refusal::found(Reason::IdRepeated, attribute.value()));
            }
            if identifiers.len() > MAX_IDENTIFIERS {
                return Err(Reason::TooManyNamespaces.into());
            }
        }
        let local = node.tag_name().name();
        if home(local).is_some_and(|home| node.tag_name().namespace() != Some(home)) {
            return Err(Refusal::found(Reason::ForeignNamespace, local));
        }
        let parent = node.parent_element();
        let is_in_place = match local {
            "Response" | "LogoutRequest" | "LogoutResponse" => parent.is_none(),
            "Assertion" => name == "Response" && parent == Some(root),
            // Of the message or its assertion; which of them must be signed is decided later.
            "Signature" => parent.is_some_and(|parent| parent == root || parent.has_tag_name((SAML, "Assertion"))),
            // Their content is nobody's before it is decrypted, and checked by nothing here.
            "EncryptedAssertion" | "EncryptedID" => return Err(Refusal::found(Reason::Encrypted, local)),
            _ => true,
        };
        if !is_in_place {
            return Err(Refusal::found(Reason::MisplacedElement, local));
        }
    }
    // What other versions mean by the same names is not known here.
    match root.attribute("Version") {
        Some("2.0") => Ok(()),
        version => Err(Refusal::instead(Reason::SamlVersion, "2.0", version)),
    }
}

/// Whether the provider says that it did its part. Checked before signatures are, since a refusal of the provider is
/// often unsigned; a forged one gains a refusal.
pub(super) fn check_status(message: Node<'_, '_>) -> Result<(), Refusal> {
    let code = required(required(message, SAMLP, "Status")?, SAMLP, "StatusCode")?;
    let value = |code: Node<'_, '_>| code.attribute("Value").unwrap_or_default().to_owned();
    if value(code) == SUCCESS {
        return Ok(());
    }
    let codes: Vec<_> = [Some(code), elements(code).next()].into_iter().flatten().map(value).collect();
    Err(Refusal::instead(Reason::ProviderStatus, SUCCESS, Some(&codes.join(" "))))
}

/// Steps 4 and 5: whether the element has a signature. One that is there must hold, or the whole message is refused.
pub(super) fn check_signature(parent: Node<'_, '_>, certificates: &Certificates) -> Result<bool, Refusal> {
    match Signature::of(parent)? {
        None => Ok(false),
        Some(signature) => signature.check(parent, certificates).map(|()| true),
    }
}

/// A signature of the one shape that is believed.
struct Signature<'a, 'i> {
    node: Node<'a, 'i>,
    info: Node<'a, 'i>,
    info_prefixes: Vec<&'a str>,
    algorithm: Algorithm,
    value: Vec<u8>,
    prefixes: Vec<&'a str>,
    digest_algorithm: &'static digest::Algorithm,
    digest: Vec<u8>,
}

impl<'a, 'i> Signature<'a, 'i> {
    /// Step 4: the signature of an element, if it has one.
    fn of(parent: Node<'a, 'i>) -> Result<Option<Self>, Refusal> {
        let mut found = document::all(parent, DS, "Signature");
        let Some(node) = found.next() else { return Ok(None) };
        if found.next().is_some() {
            return Err(Reason::SignatureRepeated.into());
        }
        // The schema's place for it. Elsewhere it may be one that was made for something else.
        let issuer = elements(parent).next().filter(|first| first.has_tag_name((SAML, "Issuer")));
        if issuer.is_none() || node.prev_sibling_element() != issuer {
            return Err(Reason::SignatureMisplaced.into());
        }
        // `KeyInfo` may follow and is never read: whose key counts is configured. `Object` may not, nothing of it is
        // needed.
        let is_key = |part: &Node<'_, '_>| part.has_tag_name((DS, "KeyInfo")) && part.next_sibling_element().is_none();
        let parts = elements(node).filter(|part| !is_key(part));
        let [info, value] = exactly(parts, ["SignedInfo", "SignatureValue"], Reason::SignatureShape)?;
        // A second reference would sign something that nobody reads.
        let parts = ["CanonicalizationMethod", "SignatureMethod", "Reference"];
        let [canonicalization, method, reference] = exactly(elements(info), parts, Reason::SignatureShape)?;
        let parts = ["Transforms", "DigestMethod", "DigestValue"];
        let [transforms, digest_method, digest] = exactly(elements(reference), parts, Reason::SignatureShape)?;

        // The reference names the element that the signature stands in: never another one, nor `""` for the document.
        let id = parent.attribute("ID").unwrap_or_default();
        if id.is_empty() || reference.attribute("URI").and_then(|uri| uri.strip_prefix('#')) != Some(id) {
            return Err(Refusal::instead(Reason::Reference, format!("#{id}"), reference.attribute("URI")));
        }
        // Exactly these two: others (XSLT, XPath, base64) compute what is signed, or leave parts of it out.
        let listed: Vec<_> = elements(transforms).map(algorithm).collect();
        if listed != [ENVELOPED, EXCLUSIVE] {
            let expected = [ENVELOPED, EXCLUSIVE].join(" ");
            return Err(Refusal::instead(Reason::Transforms, expected, Some(&listed.join(" "))));
        }
        let [enveloped, exclusive] = exactly(elements(transforms), ["Transform"; 2], Reason::Transforms)?;
        // Inclusive canonicalisation takes in what stands outside of the signed element.
        if algorithm(canonicalization) != EXCLUSIVE {
            return Err(Refusal::instead(Reason::Canonicalization, EXCLUSIVE, Some(algorithm(canonicalization))));
        }
        // Parameters such as the length of an HMAC would stand inside of these.
        if [enveloped, method, digest_method].iter().any(|node| elements(*node).next().is_some()) {
            return Err(Refusal::found(Reason::SignatureShape, "parameters of an algorithm"));
        }
        let bytes_of = |node| text(node).and_then(decode).ok_or(Reason::SignatureShape);
        Ok(Some(Self {
            node,
            info,
            info_prefixes: prefix_list(canonicalization, Reason::Canonicalization)?,
            algorithm: Algorithm::of(algorithm(method))
                .ok_or_else(|| Refusal::found(Reason::SignatureAlgorithm, algorithm(method)))?,
            value: bytes_of(value)?,
            prefixes: prefix_list(exclusive, Reason::Transforms)?,
            digest_algorithm: digest_of(algorithm(digest_method))
                .ok_or_else(|| Refusal::found(Reason::DigestAlgorithm, algorithm(digest_method)))?,
            digest: bytes_of(digest)?,
        }))
    }

    /// Step 5: whether the element that it stands in, without it, is what one of the certificates signed.
    fn check(&self, parent: Node<'_, '_>, certificates: &Certificates) -> Result<(), Refusal> {
        // First the signature, then the digest: who cannot sign shall not make us canonicalise a large document.
        let info = canonical(self.info, None, &self.info_prefixes).ok_or(Reason::TooManyNamespaces)?;
        let mut keys = certificates.iter();
        if !keys.any(|certificate| certificate.has_signed(self.algorithm, info.as_bytes(), &self.value)) {
            let known: Vec<_> = certificates.iter().map(Certificate::fingerprint).collect();
            return Err(Refusal::instead(Reason::SignatureMismatch, known.join(" "), None));
        }
        let content = canonical(parent, Some(self.node), &self.prefixes).ok_or(Reason::TooManyNamespaces)?;
        if digest::digest(self.digest_algorithm, content.as_bytes()).as_ref() == self.digest {
            Ok(())
        } else {
            Err(Reason::DigestMismatch.into())
        }
    }
}

/// These elements of XML Signature in this order, no others, and no text between them.
fn exactly<'a, 'i, const N: usize>(
    found: impl Iterator<Item = Node<'a, 'i>>,
    names: [&'static str; N],
    reason: Reason,
) -> Result<[Node<'a, 'i>; N], Refusal> {
    let found: Vec<_> = found.collect();
    let is_blank = |node: &Node<'_, '_>| !node.is_text() || node.text().is_none_or(|text| trim(text).is_empty());
    let is_bare =
        found.first().and_then(Node::parent).is_some_and(|parent| parent.children().all(|node| is_blank(&node)));
    let told = || found.iter().map(|node| node.tag_name().name()).collect::<Vec<_>>().join(" ");
    let are_named = found.iter().map(|node| (node.tag_name().namespace(), node.tag_name().name()));
    if !is_bare || !are_named.eq(names.map(|name| (Some(DS), name))) {
        return Err(Refusal::instead(reason, names.join(" "), Some(&told())));
    }
    <[_; N]>::try_from(found).map_err(|_| reason.into())
}

fn algorithm<'a>(node: Node<'a, '_>) -> &'a str {
    node.attribute("Algorithm").unwrap_or_default()
}

/// Reads the prefixes of exclusive canonicalisation that are treated inclusively: its one parameter, which must be
/// applied.
fn prefix_list<'a>(method: Node<'a, '_>, reason: Reason) -> Result<Vec<&'a str>, Refusal> {
    let mut parameters = elements(method);
    let Some(parameter) = parameters.next() else { return Ok(vec![]) };
    let is_known = parameter.has_tag_name((EXCLUSIVE, "InclusiveNamespaces")) && !parameter.has_children();
    let list = parameter.attribute("PrefixList").filter(|_| is_known && parameters.next().is_none());
    let prefixes: Vec<_> = list.iter().flat_map(|list| list.split_ascii_whitespace()).collect();
    // Each is looked for at each element, and more than can be declared are of no use.
    if list.is_none() || prefixes.len() > MAX_NAMESPACES {
        return Err(Refusal::found(reason, parameter.tag_name().name()));
    }
    Ok(prefixes)
}
