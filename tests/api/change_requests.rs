//! Change requests: nothing is lost when several write at once, nothing is done twice, lists say what there is, and
//! everybody may do what the rules say, and no more.

pub mod application;
mod consoles;
mod defaults;
mod drafts;
mod guard;
mod hidden_drafts;
mod impact;
mod life;
mod lists;
mod proof;
mod races;
mod reading;
mod reviewer_rules;
mod scheduled_application;
mod schedules;
mod segment_uses;
mod settings;
mod shop;
mod suspended;
mod table;
mod targets;
mod unreadable;
pub mod world;
