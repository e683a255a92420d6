//! Login providers of companies: what they say about who somebody is, checked before anybody believes it. Nothing here
//! knows users, sessions or the store.

pub mod email_domains;
pub mod groups;
pub mod oidc;
pub mod return_path;
pub mod saml;
