//! Login providers that lie, dawdle and break, in this very process, and people who sign in through them. Where a
//! test's name begins with a line of the list of cases, it shows that line.

mod admission_rules;
mod algorithms;
mod beside;
mod browser;
mod cases;
mod client_authentication;
mod clients;
pub mod company;
mod github;
mod hostile;
mod identities;
mod identity_links;
mod leaving;
mod limits;
mod lock_out;
mod logout;
mod options;
mod outgoing;
mod pairs;
mod parties;
mod people;
mod presets;
mod rechecks;
mod refusals;
mod saml;
pub mod server;
mod several;
mod signatures;
mod signing_in;
mod taking_over;
mod unreachable;
mod walk;
mod world;
