//! What becomes of somebody whom a login provider vouches for: which settings are in force, who it is here, which
//! groups they join and leave, and what the log says of it. HTTP is for `api`, the protocols are for `providers`.

pub mod admission;
pub mod groups;
pub mod in_force;
pub mod link;
pub mod log;
pub mod refusal;
pub mod saml;
pub mod sealed;
pub mod trial;

pub use self::refusal::Refused;
