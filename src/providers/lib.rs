//! Login providers of companies: their assertions of a user's identity, verified before they count. Nothing here knows
//! users, sessions or the store.

pub mod email_domains;
pub mod groups;
pub mod oidc;
pub mod return_path;
pub mod saml;
