//! SAML against whoever wants in as somebody else: the lines S1 to S33 of the list of cases by name, real producers'
//! responses, and responses changed by chance.

#![cfg(test)]

mod attacks;
mod changes;
mod forge;
mod hostile;
mod meaning;
mod messages;
mod metadata;
mod mutations;
mod producers;
mod signatures;
