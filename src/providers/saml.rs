//! Sign-in by SAML 2.0: what is sent to a provider, and whether what comes back may be believed.
//!
//! Nothing here knows HTTP, the database, the clock or chance: callers bring the bytes, the time and random numbers. An
//! answer is believed for one shape of signature alone, the one that providers make; see [`verifier`].

pub mod algorithm;
pub mod assertion;
mod canonical;
pub mod certificate;
mod document;
pub mod identity;
pub mod logout;
pub mod metadata;
pub mod refusal;
pub mod request;
pub mod signing;
pub mod verifier;

/// The namespaces and names of the standards, spelled once.
mod names {
    pub const SAMLP: &str = "urn:oasis:names:tc:SAML:2.0:protocol";
    pub const SAML: &str = "urn:oasis:names:tc:SAML:2.0:assertion";
    pub const METADATA: &str = "urn:oasis:names:tc:SAML:2.0:metadata";
    pub const DS: &str = "http://www.w3.org/2000/09/xmldsig#";
    pub const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
    pub const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
    pub const BEARER: &str = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
    pub const SUCCESS: &str = "urn:oasis:names:tc:SAML:2.0:status:Success";
    pub const RESPONDER: &str = "urn:oasis:names:tc:SAML:2.0:status:Responder";
    pub const REDIRECT: &str = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
    pub const POST: &str = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";
    pub const EMAIL_FORMAT: &str = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
    pub const PERSISTENT_FORMAT: &str = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
    pub const TRANSIENT_FORMAT: &str = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
}
