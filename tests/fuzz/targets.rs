//! Inputs that outsiders can send, made up by the thousand: nothing of it may break a promise, let alone the server.
//!
//! Each target is two tests. The one of its own name has bolero throw the corpus in `__fuzz__` at it, which is all that
//! `cargo test` does, and then other inputs each time, or those that libFuzzer looks for. The one in `repeated` makes
//! up the number of inputs below, the same ones on every machine. `tests/fuzz/run` runs all of this.

#![cfg(test)]

mod document;
mod evaluation;
mod filters;
mod import;
mod moving_in;
mod patch;
mod repeatable;
mod reports;
mod saml;
mod texts;

/// Forging and changing of responses, as the tests of SAML do it.
#[path = "../saml/changes.rs"]
mod changes;
#[path = "../saml/forge.rs"]
#[expect(dead_code, reason = "those tests use all of it")]
mod forge;

/// Makes two tests of each function that takes an input; its corpus is `__fuzz__/<name>/corpus`.
macro_rules! targets {
    ($($name:ident: $run:path, $inputs:literal;)+) => {
        $(
            #[test]
            fn $name() {
                bolero::check!().for_each(|input: &[u8]| $run(input));
            }
        )+

        mod repeated {
            $(
                #[test]
                #[ignore = "minutes: tests/fuzz/run"]
                fn $name() {
                    crate::repeatable::try_each($inputs, $run);
                }
            )+
        }
    };
}

// What is tried, and how many made-up inputs of it the gate tries: each target some 15 s of one processor in a debug
// build.
targets! {
    evaluation: crate::evaluation::all_who_judge_agree, 2_000;
    filters: crate::filters::parameters, 200_000;
    import: crate::import::clean_data_can_be_planned, 15_000;
    moving_in: crate::moving_in::files_are_read_or_refused, 35_000;
    patch_document: crate::patch::document_stays_within_bounds, 170_000;
    patch_feature: crate::patch::feature_can_be_told_again, 17_000;
    reports: crate::reports::usage_stays_within_bounds, 70_000;
    saml_messages: crate::saml::messages, 270_000;
    saml_responses: crate::saml::responses, 35_000;
    texts: crate::texts::short_texts, 3_500;
}
