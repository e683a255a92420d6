//! Metadata (SAML metadata 2.0): what a provider wants to know of us, and what an administrator imports of a provider.
//! The document of a provider is as trustworthy as the way it came; a signature on it is not looked at, since nothing
//! says whose it should be.

use std::fmt;

use chrono::{DateTime, Utc};
use roxmltree::Node;
use url::Url;

use super::{
    canonical::attribute_value,
    certificate::{Certificate, CertificateFault, Certificates, decode},
    document::{self, Source, all, text},
    names::{DS, EMAIL_FORMAT, METADATA, POST, REDIRECT, SAMLP},
    refusal::Refusal,
};

/// Description of this server as a service provider.
#[derive(Clone, Copy, Debug)]
pub struct ServiceProvider<'a> {
    /// Our entity id.
    pub entity_id: &'a str,
    /// Address that browsers post answers to.
    pub acs_url: &'a str,
    /// Address that browsers bring messages about signing out to; `None` where there is none.
    pub logout_url: Option<&'a str>,
    /// The certificates of the key that signs our messages, as far as it is known, and of its successors.
    pub certificates: &'a [Certificate],
    /// Whether requests to sign in are signed.
    pub signs_requests: bool,
}

impl ServiceProvider<'_> {
    /// The document, of type `application/samlmetadata+xml`. It offers no key for encryption: what is encrypted is
    /// refused.
    pub fn metadata(&self) -> String {
        let [entity_id, acs_url] = [self.entity_id, self.acs_url].map(attribute_value);
        let logout = self.logout_url.map(attribute_value).map(|url| {
            let service =
                |binding: &str| format!("<md:SingleLogoutService Binding=\"{binding}\" Location=\"{url}\"/>\n    ");
            [REDIRECT, POST].map(service).concat()
        });
        let keys = self.certificates.iter().map(|certificate| {
            format!(
                "    <md:KeyDescriptor use=\"signing\">\n      <ds:KeyInfo xmlns:ds=\"{DS}\"><ds:X509Data>\
                 <ds:X509Certificate>{}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>\n    </md:KeyDescriptor>\n",
                certificate.to_base64()
            )
        });
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <md:EntityDescriptor xmlns:md=\"{METADATA}\" entityID=\"{entity_id}\">\n  \
             <md:SPSSODescriptor AuthnRequestsSigned=\"{}\" WantAssertionsSigned=\"true\" \
             protocolSupportEnumeration=\"{SAMLP}\">\n{}    \
             {}<md:NameIDFormat>{EMAIL_FORMAT}</md:NameIDFormat>\n    \
             <md:AssertionConsumerService Binding=\"{POST}\" Location=\"{acs_url}\" index=\"0\" isDefault=\"true\"/>\n  \
             </md:SPSSODescriptor>\n</md:EntityDescriptor>\n",
            self.signs_requests,
            keys.collect::<String>(),
            logout.unwrap_or_default()
        )
    }
}

/// Settings that a provider's metadata proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderMetadata {
    /// The provider's entity id.
    pub entity_id: String,
    /// Address that browsers bring requests to sign in to: its HTTP-Redirect address.
    pub sign_on_url: String,
    /// Address that browsers bring requests to sign out to, likewise, if it has such.
    pub sign_out_url: Option<String>,
    /// Its keys for signing: several while it changes them. Those that are not accepted are left out while others are
    /// there.
    pub certificates: Certificates,
    /// Whether it answers signed requests only.
    pub wants_signed_requests: bool,
    /// Until when it wants to be believed, if it says so.
    pub valid_until: Option<DateTime<Utc>>,
}

/// Fault of a document that proposes nothing. Displays as a sentence for the administrator who gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetadataFault {
    /// It cannot be read.
    Unreadable(Refusal),
    /// It describes no identity provider of SAML 2.0.
    NoProvider,
    /// It describes several.
    SeveralProviders,
    /// The provider has no entity id.
    NoEntityId,
    /// The provider takes no requests by redirect.
    NoRedirect,
    /// An address of it is none for a browser.
    BadAddress(&'static str),
    /// Its certificates for signing are missing or of no use.
    Certificates(CertificateFault),
}

impl fmt::Display for MetadataFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(refusal) => write!(f, "is no metadata that can be read: {refusal}"),
            Self::NoProvider => {
                f.write_str("describes no identity provider of SAML 2.0: give the provider's own metadata")
            }
            Self::SeveralProviders => f.write_str("describes several identity providers: give the metadata of one"),
            Self::NoEntityId => f.write_str("gives its provider no entityID of 1 to 1,024 characters"),
            Self::NoRedirect => f.write_str("offers no SingleSignOnService by HTTP-Redirect: switch that binding on"),
            Self::BadAddress(service) => write!(f, "gives {service} a location that is no http or https address"),
            Self::Certificates(fault) => write!(f, "{fault}"),
        }
    }
}

impl std::error::Error for MetadataFault {}

impl ProviderMetadata {
    /// Reads a document of at most 1 MiB, with one provider in it. By the reader that responses go through, but for
    /// comments and a byte order mark, which real metadata has.
    pub fn read(xml: &[u8]) -> Result<Self, MetadataFault> {
        let text = document::prepare(xml, Source::Metadata).map_err(MetadataFault::Unreadable)?;
        let document = document::parse(&text).map_err(MetadataFault::Unreadable)?;
        let is_provider = |node: &Node<'_, '_>| {
            let protocols = node.attribute("protocolSupportEnumeration").unwrap_or_default();
            node.has_tag_name((METADATA, "IDPSSODescriptor"))
                && protocols.split_ascii_whitespace().any(|one| one == SAMLP)
        };
        let mut providers = document.root_element().descendants().filter(is_provider);
        let provider = providers.next().ok_or(MetadataFault::NoProvider)?;
        if providers.next().is_some() {
            return Err(MetadataFault::SeveralProviders);
        }
        let entity = provider.parent().filter(|entity| entity.has_tag_name((METADATA, "EntityDescriptor")));
        let entity = entity.ok_or(MetadataFault::NoProvider)?;
        let entity_id = entity.attribute("entityID").filter(|id| (1..=1024).contains(&id.chars().count()));
        let valid_until = entity.attribute("validUntil").and_then(|time| DateTime::parse_from_rfc3339(time).ok());
        Ok(Self {
            entity_id: entity_id.ok_or(MetadataFault::NoEntityId)?.to_owned(),
            sign_on_url: address(provider, "SingleSignOnService")?.ok_or(MetadataFault::NoRedirect)?,
            sign_out_url: address(provider, "SingleLogoutService")?,
            certificates: certificates(provider).map_err(MetadataFault::Certificates)?,
            wants_signed_requests: matches!(provider.attribute("WantAuthnRequestsSigned"), Some("true" | "1")),
            valid_until: valid_until.map(|time| time.to_utc()),
        })
    }
}

/// Returns the address of a service for messages by redirect.
fn address(provider: Node<'_, '_>, service: &'static str) -> Result<Option<String>, MetadataFault> {
    let by_redirect = all(provider, METADATA, service).find(|node| node.attribute("Binding") == Some(REDIRECT));
    let Some(location) = by_redirect.and_then(|node| node.attribute("Location")) else { return Ok(None) };
    match Url::parse(location) {
        Ok(address) if matches!(address.scheme(), "http" | "https") => Ok(Some(location.to_owned())),
        _ => Err(MetadataFault::BadAddress(service)),
    }
}

/// Reads the certificates for signing, or for any use.
fn certificates(provider: Node<'_, '_>) -> Result<Certificates, CertificateFault> {
    let keys = all(provider, METADATA, "KeyDescriptor").filter(|key| key.attribute("use") != Some("encryption"));
    let found = keys.flat_map(|key| key.descendants().filter(|node| node.has_tag_name((DS, "X509Certificate"))));
    let found = found.map(|node| text(node).and_then(decode).ok_or(CertificateFault::Unreadable));
    let read: Vec<_> = found.map(|der| der.and_then(|der| Certificate::read(der.clone()).map(|_| der))).collect();
    let fault = read.iter().find_map(|one| one.as_ref().err().copied());
    let good: Vec<_> = read.into_iter().flatten().collect();
    match fault {
        Some(fault) if good.is_empty() => Err(fault),
        _ => Certificates::of(good),
    }
}
