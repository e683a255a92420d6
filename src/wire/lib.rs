//! Building blocks of annotated types: what the document must say and the derives cannot.
//!
//! Used by `api` and by the nouns of `domain`. Knows neither HTTP nor rows.

mod at_most;
mod count;
mod evaluation_context;
mod evaluation_question;
mod literal;
mod nullable;
mod number;
mod or_word;
mod plain_type;
mod raw_json;
mod raw_json_of;
mod scalar;
mod sdk_context;
mod shaped_text;

pub use at_most::AtMost;
pub use count::Count;
pub use evaluation_context::EvaluationContext;
pub use evaluation_question::{EvaluationRequest, FrontendQuestion, Question};
pub use literal::{False, True};
pub use nullable::Nullable;
pub use number::Number;
pub use or_word::{MaybeKnown, Projects};
pub use raw_json::RawJson;
pub use raw_json_of::RawJsonOf;
pub use scalar::Scalar;
pub use sdk_context::SdkContext;
pub use shaped_text::{Shape, ShapedText, Uri, UriShape};
