//! The features that programs decide by, sent from memory.

use std::sync::Arc;

use poem::{
    IntoResponse, Request, Response,
    http::{HeaderMap, StatusCode, header},
    web::Data,
};
use poem_openapi::{
    Object, OpenApi,
    param::{Header, Path, Query},
};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, JSON_UTF8, LookupRefusals, Out, QueryRefusals},
        http::{ASKED_AGAIN, AcceptsGzip, in_pieces, is_known},
        parameter::{AnyTagParameter, ClientSpecParameter, NameParameter, ProjectIdsParameter, TextParameter},
        programs::caller::ClientCaller,
        response_meta::{ResponseMeta, api_response},
    },
    domain::client_feature::{ClientFeature, ClientFilter, ClientQuery, ClientSegment, knows_segments},
    error::Error,
    sdk::{Question, View},
    state::Serving,
};

/// The operations by which programs read features.
#[derive(Debug)]
pub struct ClientFeaturesApi;

/// The features of one environment, for SDKs to evaluate.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ClientFeatures", skip_serializing_if_is_none)]
pub struct ClientFeaturesBody {
    /// Version of this format: 2.
    pub version: i64,
    /// The features by name.
    pub features: Vec<ClientFeature>,
    /// The segments that strategies of these features refer to, by id. Absent for clients that do not support segments.
    pub segments: Option<Vec<ClientSegment>>,
    /// The query that was answered.
    pub query: ClientQuery,
}

#[OpenApi(tag = "Tag::Applications")]
impl ClientFeaturesApi {
    /// List the features of the token's environment
    ///
    /// Every feature of the token's projects that is not archived, with its configuration in the token's environment;
    /// disabled strategies are left out. A feature whose project does not use the environment is off. Served from
    /// memory: a change on this server is in the next answer, a change on another server of the same database within a
    /// second or two. Send the `ETag` as `If-None-Match`: 304 when nothing has changed. Needs a client token; an admin
    /// token reads all projects of the environment that it names.
    #[oai(path = "/api/client/features", method = "get", operation_id = "getAllClientFeatures")]
    #[expect(clippy::too_many_arguments, reason = "one for each parameter of the published operation")]
    async fn get_all_client_features(
        &self,
        caller: ClientCaller,
        Data(state): Data<&Serving>,
        Data(gzip): Data<&AcceptsGzip>,
        request: &Request,
        project: Query<Option<ProjectIdsParameter>>,
        /// Only features that carry this tag, written as `type:value`. Repeated: features that carry any of them.
        tag: Query<Option<AnyTagParameter>>,
        #[oai(name = "namePrefix")] name_prefix: Query<Option<TextParameter>>,
        environment: Query<Option<NameParameter>>,
        /// The version of the SDK specification that the client supports. From 4.2.0 on strategies refer to segments by
        /// their ids; for earlier versions, or when it is absent, the constraints of the segments are included in the
        /// strategies.
        #[oai(name = "Unleash-Client-Spec")]
        client_spec: Header<Option<ClientSpecParameter>>,
    ) -> Result<Remembered, Fails<QueryRefusals>> {
        let question = Question {
            environment: caller.environment(environment.0.as_ref().map(|name| name.0.as_str())),
            filter: ClientFilter {
                projects: caller.projects(&project.0.map(|ids| ids.0).unwrap_or_default()),
                tags: tag.0.map(|tags| tags.0.0).unwrap_or_default(),
                name_prefix: name_prefix.0.map(|prefix| prefix.0).filter(|prefix| !prefix.is_empty()),
            },
            inline_segments: !reads_segments(client_spec.0)?,
        };
        let view = state.source.answer(question).await?;
        let answer = Remembered::of(&view, request.headers(), *gzip).await;
        state.source.figures().answered(answer.body.is_some());
        Ok(answer)
    }

    /// Get a feature of the token's environment
    ///
    /// A feature that is not archived, as in `getAllClientFeatures`. Needs a client token; an admin token reads the
    /// environment that it names.
    #[oai(path = "/api/client/features/:featureName", method = "get", operation_id = "getClientFeature")]
    async fn get_client_feature(
        &self,
        caller: ClientCaller,
        Data(state): Data<&Serving>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Query<Option<NameParameter>>,
        /// The version of the SDK specification that the client supports, as in `getAllClientFeatures`.
        #[oai(name = "Unleash-Client-Spec")]
        client_spec: Header<Option<ClientSpecParameter>>,
    ) -> Result<Out<ClientFeature>, Fails<LookupRefusals>> {
        let by_reference = reads_segments(client_spec.0)?;
        let filter = caller.everything();
        let environment = caller.environment(environment.0.as_ref().map(|name| name.0.as_str()));
        let environment = state.source.environment(&environment).await?;
        let flag = environment.find(&feature_name.0, &filter);
        let flag = flag.ok_or_else(|| Error::not_found("feature", &feature_name.0))?;
        let feature = flag.feature();
        Ok(Out(if by_reference { feature.into_owned() } else { environment.inlined(&feature) }))
    }
}

/// Whether a reader with this header knows segments by their ids.
fn reads_segments(client_spec: Option<ClientSpecParameter>) -> Result<bool, Error> {
    let Some(version) = client_spec else { return Ok(false) };
    knows_segments(&version.0).ok_or_else(|| {
        let rule = "The header `Unleash-Client-Spec` must be a version of three numbers, such as 5.2.0.";
        Error::invalid("/header/Unleash-Client-Spec", rule)
    })
}

/// An answer from memory, or 304 for who has it.
#[derive(Debug)]
pub struct Remembered {
    etag: String,
    body: Option<(bytes::Bytes, bool)>,
}

impl Remembered {
    /// The answer as the reader wants it.
    async fn of(view: &Arc<View>, headers: &HeaderMap, AcceptsGzip(gzip): AcceptsGzip) -> Self {
        let etag = view.etag.clone();
        if is_known(headers, &etag) {
            return Self { etag, body: None };
        }
        let bytes = if gzip { view.gzip().await } else { view.body.clone() };
        Self { etag, body: Some((bytes, gzip)) }
    }
}

impl IntoResponse for Remembered {
    fn into_response(self) -> Response {
        let response = Response::builder().header(header::ETAG, self.etag).header(header::CACHE_CONTROL, ASKED_AGAIN);
        match self.body {
            None => response.status(StatusCode::NOT_MODIFIED).finish(),
            Some((bytes, gzip)) => {
                let response = response.content_type(JSON_UTF8);
                let response = if gzip { response.header(header::CONTENT_ENCODING, "gzip") } else { response };
                response.header(header::CONTENT_LENGTH, bytes.len()).body(in_pieces(bytes))
            }
        }
    }
}

api_response!(
    Remembered,
    Out::<ClientFeaturesBody>::response().answer_tag(),
    ResponseMeta::new(304, "The reader has it.").answer_tag(),
);
