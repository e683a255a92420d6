//! The remote evaluation protocol of OpenFeature (OFREP): any of its providers can ask this server.

pub mod refusal;

use poem::{Request, web::Data};
use poem_openapi::{Enum, Object, OpenApi, param::Path, types::Any};
use serde::Serialize;
use serde_json::Value;

use self::refusal::EvaluationFails;
use crate::{
    api::{
        Tag,
        answer::Out,
        body::Body,
        programs::caller::EvaluationCaller,
        subject,
        tagged::{AsJson, Pieces, Tagged, Written},
    },
    domain::{
        evaluation::Subject,
        variant::{Payload, PayloadKind},
    },
    error::Error,
    evaluation::{Asker, Choice},
    sdk::Judgement,
    state::Serving,
    wire::EvaluationRequest,
};

/// Placeholders for the variant of a feature that has none, by its state: some providers need one.
const ENABLED: &str = "enabled";
const DISABLED: &str = "disabled";

/// The operations of OpenFeature's providers.
#[derive(Debug)]
pub struct OfrepApi;

/// Reason of a flag's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename = "EvaluationReason", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Reason {
    /// It is on for everybody in the environment.
    Static,
    /// A strategy matches the context.
    TargetingMatch,
    /// One of several variants was drawn.
    Split,
    /// It is switched off in the environment.
    Disabled,
    /// No strategy matches the context.
    Default,
}

/// Metadata of the evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "EvaluationMetadata", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct MetadataBody {
    /// Whether the feature is on for the context.
    pub enabled: bool,
    /// Whether SDKs report each evaluation.
    pub impression_data: bool,
}

/// The value of a flag for a context.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "EvaluationSuccess")]
pub struct EvaluationBody {
    /// Name of the feature.
    pub key: String,
    /// Reason of the value.
    pub reason: Reason,
    /// Name of the resolved variant. Without one, `enabled` where the feature is on for the context, otherwise
    /// `disabled`.
    pub variant: String,
    /// The payload of the resolved variant: a text for `string` and `csv`, a number for `number`, a JSON value for
    /// `json`; the plain text when it cannot be parsed. Without a payload, whether the feature is on.
    pub value: Any<Value>,
    /// Further properties.
    pub metadata: MetadataBody,
}

/// The values of all flags for a context.
#[derive(Debug, Clone, Object)]
#[oai(rename = "BulkEvaluationSuccess")]
pub struct BulkEvaluationBody {
    /// The flags that the token reaches, by name, those that are off included.
    pub flags: Vec<EvaluationBody>,
}

#[OpenApi(tag = "Tag::Evaluation")]
impl OfrepApi {
    /// Evaluate all flags for OpenFeature
    ///
    /// For OpenFeature's client-side providers. Every feature that the token reaches has a value. A feature that is off
    /// has the value `false`, so a provider that needs another type uses the default in the code. Send the `ETag` as
    /// `If-None-Match`: 304 when nothing has changed for this context. Needs a frontend token or a client token.
    #[oai(path = "/ofrep/v1/evaluate/flags", method = "post", operation_id = "evaluateFlags")]
    async fn evaluate_flags(
        &self,
        caller: EvaluationCaller,
        Data(state): Data<&Serving>,
        request: &Request,
        body: Body<EvaluationRequest>,
    ) -> Result<Tagged<BulkEvaluationBody>, EvaluationFails> {
        let asker = asker(state, &caller, request, &body.read()?)?;
        let environment = state.source.environment(&caller.environment(None)).await?;
        let judge = environment.judge(state.clock.now()).await.map_err(Error::internal)?;
        let filter = caller.everything();
        let flags = judge.all(&filter, &asker).map(Evaluated);
        Ok(Tagged::list("flags", flags, request.headers()))
    }

    /// Evaluate a flag for OpenFeature
    ///
    /// For OpenFeature's server-side providers. Values are as in the evaluation of all flags. Needs a frontend token or
    /// a client token.
    #[oai(path = "/ofrep/v1/evaluate/flags/:key", method = "post", operation_id = "evaluateFlag")]
    async fn evaluate_flag(
        &self,
        caller: EvaluationCaller,
        Data(state): Data<&Serving>,
        request: &Request,
        /// Name of the feature.
        key: Path<String>,
        body: Body<EvaluationRequest>,
    ) -> Result<Out<EvaluationBody>, EvaluationFails> {
        let asker = asker(state, &caller, request, &body.read()?)?;
        let environment = state.source.environment(&caller.environment(None)).await?;
        let judge = environment.judge(state.clock.now()).await.map_err(Error::internal)?;
        let judgement = judge.find(&key.0, &caller.everything(), &asker);
        Ok(Out(judgement.ok_or_else(|| Error::not_found("feature", &key.0))?.into()))
    }
}

fn asker(
    state: &Serving,
    caller: &EvaluationCaller,
    request: &Request,
    body: &EvaluationRequest,
) -> Result<Asker, Error> {
    let subject = targeted(subject::of_question(&body.0)?);
    let subject = subject::completed(subject, request);
    let (environment, now) = (caller.environment(None), state.clock.now());
    state.samples.offer(&environment, &subject, now);
    Ok(Asker::new(&subject, &environment, now))
}

/// Sets the user id to OpenFeature's targeting key, if the context has no user id.
fn targeted(mut subject: Subject) -> Subject {
    if let Some(key) = subject.0.get("targetingKey").cloned() {
        subject.0.entry("userId".to_owned()).or_insert(key);
    }
    subject
}

impl Reason {
    const fn of(judgement: &Judgement<'_>) -> Self {
        match (judgement.is_enabled, &judgement.variant) {
            (false, _) if !judgement.flag.enabled => Self::Disabled,
            (false, _) => Self::Default,
            (true, Some(_)) => Self::Split,
            (true, None) if !judgement.flag.has_strategies => Self::Static,
            (true, None) => Self::TargetingMatch,
        }
    }
}

/// The value of a flag, in the form of an answer: most have no variant, and differ in their names and a few words.
struct Evaluated<'a>(Judgement<'a>);

impl Written for Evaluated<'_> {
    fn write(self, text: &mut Pieces) {
        let Self(judgement) = self;
        if judgement.variant.is_some() {
            return AsJson(EvaluationBody::from(judgement)).write(text);
        }
        let (variant, enabled) = if judgement.is_enabled {
            (r#","variant":"enabled","value":true"#, r#","metadata":{"enabled":true,"impressionData":"#)
        } else {
            (r#","variant":"disabled","value":false"#, r#","metadata":{"enabled":false,"impressionData":"#)
        };
        let reported = if judgement.flag.impression_data { "true}}" } else { "false}}" };
        text.raw(r#"{"key":"#).json(&*judgement.flag.name).raw(r#","reason":"#).json(&Reason::of(&judgement));
        text.raw(variant).raw(enabled).raw(reported);
    }
}

impl From<Judgement<'_>> for EvaluationBody {
    fn from(judgement: Judgement<'_>) -> Self {
        let flag = judgement.flag;
        let enabled = judgement.is_enabled;
        let reason = Reason::of(&judgement);
        let (variant, payload) = Choice::parts(judgement.variant);
        Self {
            key: flag.name.to_string(),
            reason,
            variant: variant.unwrap_or_else(|| if enabled { ENABLED } else { DISABLED }.to_owned()),
            value: payload.map_or(Any(enabled.into()), |payload| Any(typed(payload))),
            metadata: MetadataBody { enabled, impression_data: flag.impression_data },
        }
    }
}

/// Value of a payload in its own type.
fn typed(payload: Payload) -> Value {
    let read = match payload.kind {
        PayloadKind::Json => serde_json::from_str(&payload.value).ok(),
        PayloadKind::Number => {
            serde_json::from_str(payload.value.trim()).ok().filter(|value: &Value| value.is_number())
        }
        PayloadKind::String | PayloadKind::Csv => None,
    };
    read.unwrap_or(Value::String(payload.value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        api::tagged,
        domain::client_feature::{ClientFeature, Flag},
    };

    #[test]
    fn a_value_is_written_as_it_is_described() {
        for (name, impression_data, enabled) in [("plain", false, true), ("with \"quotes\" and ä", true, false)] {
            let feature = ClientFeature { name: name.to_owned(), impression_data, enabled, ..ClientFeature::default() };
            let flag = Flag::written(&feature, vec![]);
            for (is_enabled, variant) in [(false, None), (true, None), (true, Some("blue"))] {
                let variant = variant.map(|name| Choice { name: name.to_owned(), payload: None });
                let judgement = || Judgement { flag: &flag, is_enabled, variant: variant.clone() };
                let expected = serde_json::to_string(&EvaluationBody::from(judgement())).expect("JSON");
                assert_eq!(tagged::text_of(Evaluated(judgement())), expected);
            }
        }
    }

    #[test]
    fn payloads_have_the_type_that_they_say_where_they_can() {
        for (kind, text, expected) in [
            (PayloadKind::String, "7", json!("7")),
            (PayloadKind::Csv, "a,b", json!("a,b")),
            (PayloadKind::Number, " 7.5 ", json!(7.5)),
            (PayloadKind::Number, "seven", json!("seven")),
            (PayloadKind::Number, "true", json!("true")),
            (PayloadKind::Json, r#"{"a":[1]}"#, json!({ "a": [1] })),
            (PayloadKind::Json, "{", json!("{")),
        ] {
            assert_eq!(typed(Payload { kind, value: text.to_owned() }), expected, "{text}");
        }
    }
}
