//! Signing in and out, with a password, a passkey or a link, or through a login provider: the settings in force and
//! their changes, recognition of the user, groups to join and leave, access that is checked again later, and the log of
//! sign-ins. HTTP is for `api`, the protocols are for `providers`.

pub mod access_requests;
pub mod admission;
pub mod author;
pub mod browser;
pub mod client_keys;
pub mod further;
pub mod groups;
pub mod identity_link;
pub mod in_force;
pub mod link;
pub mod lock_out;
pub mod log;
pub mod login_settings;
pub mod logout;
pub mod metadata;
pub mod passkeys;
pub mod password;
pub mod password_reset;
pub mod password_settings;
pub mod policy;
pub mod provider_changes;
pub mod provider_metadata;
pub mod recheck;
pub mod refusal;
pub mod rules;
pub mod saml;
pub mod saml_ticket;
pub mod sealed;
pub mod second_factor;
pub mod signup;
pub mod trial;

pub use self::refusal::Refused;
