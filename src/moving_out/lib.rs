//! The way back out: everything about features in the forms that others read.
//!
//! A form that cannot say something never widens who gets a feature: what is left out is on for fewer, and is reported.

mod flagd;
mod jsonlogic;
mod older;
mod state;

pub use self::{
    flagd::flagd,
    older::{Fitting, Target, custom_types, state_of_5},
    state::{State, state},
};
