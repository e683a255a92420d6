//! Operations for programs in the hands of users: the features that are on for the user, and reports of usage.

use poem::{Request, web::Data};
use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Done, Fails, QueryRefusals, WriteRefusals},
        body::Body,
        parameter::{
            AskerAddressParameter, AskerApplicationParameter, AskerIdParameter, AskerTimeParameter, NameParameter,
        },
        programs::{
            caller::FrontendCaller,
            usage::{ClientApplicationBody, ClientMetricsBody, introduce, report},
        },
        subject,
        tagged::{AsJson, Pieces, Tagged, Written},
    },
    domain::{evaluation::Subject, variant::Payload},
    error::Error,
    evaluation::{Asker, Choice},
    sdk::Judgement,
    state::Serving,
    wire::FrontendQuestion,
};

/// The operations of browsers and apps.
#[derive(Debug)]
pub struct FrontendApi;

/// The features that are on for a context.
#[derive(Debug, Clone, Object)]
#[oai(rename = "FrontendFeatures")]
pub struct FrontendFeaturesBody {
    /// The features that are on, by name. All others are off, or not covered by the token.
    pub toggles: Vec<FrontendFeatureBody>,
}

/// A feature that is on for a context.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "FrontendFeature", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct FrontendFeatureBody {
    /// Unique name.
    pub name: String,
    /// Whether the feature is on: true.
    pub enabled: bool,
    /// The variant that is given.
    pub variant: GivenVariantBody,
    /// Whether SDKs report each evaluation.
    pub impression_data: bool,
}

/// The resolved variant of a feature.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "GivenVariant", skip_serializing_if_is_none)]
pub struct GivenVariantBody {
    /// Name of the variant; `disabled` when the feature has none.
    pub name: String,
    /// Whether the feature resolved to a variant.
    pub enabled: bool,
    /// Extra data of the variant. Absent when it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Payload>,
    /// Whether the feature is on: true.
    pub feature_enabled: bool,
}

impl From<Judgement<'_>> for FrontendFeatureBody {
    fn from(judgement: Judgement<'_>) -> Self {
        let flag = judgement.flag;
        let (name, payload) = Choice::parts(judgement.variant);
        Self {
            name: flag.name.to_string(),
            enabled: judgement.is_enabled,
            variant: GivenVariantBody {
                enabled: name.is_some(),
                name: name.unwrap_or_else(|| "disabled".to_owned()),
                payload,
                feature_enabled: judgement.is_enabled,
            },
            impression_data: flag.impression_data,
        }
    }
}

#[OpenApi(tag = "Tag::Evaluation")]
impl FrontendApi {
    /// List the features that are on for a context
    ///
    /// The parameters are the context. Any other parameter is the value of a context field of that name, as is
    /// `properties[name]`; at most 100 values of at most 10000 characters. Served from memory: a change on this server
    /// is in the next answer. Send the `ETag` as `If-None-Match`: 304 when nothing has changed for this context. Needs
    /// a frontend token, which has one environment.
    #[oai(path = "/api/frontend", method = "get", operation_id = "getFrontendFeatures")]
    #[expect(clippy::too_many_arguments, reason = "one for each parameter of the published operation")]
    async fn get_frontend_features(
        &self,
        caller: FrontendCaller,
        Data(state): Data<&Serving>,
        request: &Request,
        /// Name of the application.
        #[oai(name = "appName")]
        app_name: Query<Option<AskerApplicationParameter>>,
        /// Id of the user.
        #[oai(name = "userId")]
        user_id: Query<Option<AskerIdParameter>>,
        /// Id of the user's session. Absent: a random one, so results that depend on it can differ each time. Empty:
        /// none.
        #[oai(name = "sessionId")]
        session_id: Query<Option<AskerIdParameter>>,
        /// IP address of the user. Absent: that of the connection. Empty: unknown.
        #[oai(name = "remoteAddress")]
        remote_address: Query<Option<AskerAddressParameter>>,
        /// Time of the evaluation, RFC 3339. Absent or empty: now.
        #[oai(name = "currentTime")]
        current_time: Query<Option<AskerTimeParameter>>,
        /// Ignored: the environment is that of the token.
        #[oai(name = "environment")]
        _environment: Query<Option<NameParameter>>,
    ) -> Result<Tagged<FrontendFeaturesBody>, Fails<QueryRefusals>> {
        let known = [
            ("appName", app_name.0.map(|name| name.0)),
            ("userId", user_id.0.map(|id| id.0)),
            ("sessionId", session_id.0.map(|id| id.0)),
            ("remoteAddress", remote_address.0.map(|address| address.0)),
            ("currentTime", current_time.0.map(|time| time.0)),
            ("environment", None),
        ];
        let subject = subject::of_query(request.uri().query().unwrap_or_default(), known)?;
        Ok(what_is_on(state, &caller, request, subject).await?)
    }

    /// List the features that are on for a context in a body
    ///
    /// The same as with GET, without the length limits of URLs and their traces in logs. The context stands in `context`,
    /// or its values are the body's own. Needs a frontend token.
    #[oai(path = "/api/frontend", method = "post", operation_id = "postFrontendFeatures")]
    async fn post_frontend_features(
        &self,
        caller: FrontendCaller,
        Data(state): Data<&Serving>,
        request: &Request,
        body: Body<FrontendQuestion>,
    ) -> Result<Tagged<FrontendFeaturesBody>, Fails<WriteRefusals>> {
        let subject = subject::of_question(&body.read()?.0)?;
        Ok(what_is_on(state, &caller, request, subject).await?)
    }

    /// Register a frontend program
    ///
    /// Registers the application. Accepted at once and stored within seconds; the first registration leaves an event of
    /// type `application-created`. Needs a frontend token.
    #[oai(path = "/api/frontend/client/register", method = "post", operation_id = "registerFrontendClient")]
    async fn register_frontend_client(
        &self,
        caller: FrontendCaller,
        Data(state): Data<&Serving>,
        request: &Request,
        body: Body<ClientApplicationBody>,
    ) -> Result<Done, Fails<WriteRefusals>> {
        introduce(state, &caller, request, body)?;
        Ok(Done)
    }

    /// Report the usage of a frontend program
    ///
    /// How often a program evaluated features. Accepted at once and stored within seconds, by the hour, like reports of
    /// server-side programs. Needs a frontend token.
    #[oai(path = "/api/frontend/client/metrics", method = "post", operation_id = "registerFrontendMetrics")]
    async fn register_frontend_metrics(
        &self,
        caller: FrontendCaller,
        Data(state): Data<&Serving>,
        request: &Request,
        body: Body<ClientMetricsBody>,
    ) -> Result<Done, Fails<WriteRefusals>> {
        report(state, &caller, request, body).await?;
        Ok(Done)
    }
}

async fn what_is_on(
    state: &Serving,
    caller: &FrontendCaller,
    request: &Request,
    subject: Subject,
) -> Result<Tagged<FrontendFeaturesBody>, Error> {
    let now = state.clock.now();
    let name = caller.environment(None);
    let environment = state.source.environment(&name).await?;
    let judge = environment.judge(now).await.map_err(Error::internal)?;
    let subject = subject::completed(subject, request);
    state.samples.offer(&name, &subject, now);
    let (filter, asker) = (caller.everything(), Asker::new(&subject, &name, now));
    let on = judge.all(&filter, &asker).filter(|judgement| judgement.is_enabled);
    Ok(Tagged::list("toggles", on.map(ServedFeature), request.headers()))
}

/// A feature that is on, in the form of an answer: most have no variant, and differ in their names alone.
struct ServedFeature<'a>(Judgement<'a>);

/// Text after the name of a feature without a variant, by whether SDKs report each evaluation.
const WITHOUT_VARIANT: [&str; 2] = [
    r#","enabled":true,"variant":{"name":"disabled","enabled":false,"feature_enabled":true},"impressionData":false}"#,
    r#","enabled":true,"variant":{"name":"disabled","enabled":false,"feature_enabled":true},"impressionData":true}"#,
];

impl Written for ServedFeature<'_> {
    fn write(self, text: &mut Pieces) {
        let Self(judgement) = self;
        if judgement.variant.is_some() || !judgement.is_enabled {
            return AsJson(FrontendFeatureBody::from(judgement)).write(text);
        }
        let rest = WITHOUT_VARIANT[usize::from(judgement.flag.impression_data)];
        text.raw(r#"{"name":"#).json(&*judgement.flag.name).raw(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::tagged,
        domain::client_feature::{ClientFeature, Flag},
    };

    #[test]
    fn a_feature_is_written_as_it_is_described() {
        for (name, impression_data) in [("plain", false), ("with \"quotes\" and ä", true)] {
            let feature = ClientFeature { name: name.to_owned(), impression_data, ..ClientFeature::default() };
            let flag = Flag::written(&feature, vec![]);
            for variant in [None, Some(Choice { name: "blue".to_owned(), payload: None })] {
                let judgement = || Judgement { flag: &flag, is_enabled: true, variant: variant.clone() };
                let expected = serde_json::to_string(&FrontendFeatureBody::from(judgement())).expect("JSON");
                assert_eq!(tagged::text_of(ServedFeature(judgement())), expected);
            }
        }
    }
}
