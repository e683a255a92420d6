//! What outsiders can send, made up by the thousand: nothing of it may break a promise, let alone the server.
//!
//! Each target is a test: `cargo test --package flagstone-fuzz` runs it on its corpus in `__fuzz__` and then on random
//! inputs for a second; `tests/fuzz/run` does so for longer, or lets libFuzzer look for inputs that reach new code.

#![cfg(test)]

mod document;
mod evaluation;
mod filters;
mod import;
mod patch;
mod reports;
mod saml;
mod texts;

/// How responses are forged and changed, as the tests of SAML do it.
#[path = "../saml/changes.rs"]
mod changes;
#[path = "../saml/forge.rs"]
#[expect(dead_code, reason = "those tests use all of it")]
mod forge;

/// Makes a test of each function that takes an input; its corpus is `__fuzz__/<name>/corpus`.
macro_rules! targets {
    ($($name:ident: $run:path,)+) => {
        $(
            #[test]
            fn $name() {
                bolero::check!().for_each(|input: &[u8]| $run(input));
            }
        )+
    };
}

targets! {
    evaluation: evaluation::engine_and_playground_agree,
    filters: filters::parameters,
    import: import::clean_data_can_be_planned,
    patch_document: patch::document_stays_within_bounds,
    patch_feature: patch::feature_can_be_told_again,
    reports: reports::usage_stays_within_bounds,
    saml_messages: saml::messages,
    saml_responses: saml::responses,
    texts: texts::short_texts,
}
