//! Admission of users whom a login provider vouches for: the settings in force, recognition of the user, groups to join
//! and leave, access that is checked again later, and the log of sign-ins. HTTP is for `api`, the protocols are for `providers`.

pub mod admission;
pub mod browser;
pub mod client_keys;
pub mod further;
pub mod groups;
pub mod identity_link;
pub mod in_force;
pub mod link;
pub mod lock_out;
pub mod log;
pub mod metadata;
pub mod provider_changes;
pub mod recheck;
pub mod refusal;
pub mod rules;
pub mod saml;
pub mod sealed;
pub mod second_factor;
pub mod trial;

pub use self::refusal::Refused;
