//! Operations for Unleash Edge: validation of tokens, permission to serve them, and reports.

use std::collections::HashSet;

use poem::{Request, web::Data};
use poem_openapi::{Enum, Object, OpenApi, param::Header};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Accepted, DoneAccepted, Fails, Out, WriteRefusals, refusals},
        body::Body,
        client_address::SentFrom,
        parameter::ReportKeyParameter,
        programs::{
            caller::ClientCaller,
            usage::{BulkMetricsBody, gather, tell},
        },
    },
    domain::{
        edge::EdgeReport,
        left_out::LeftOut,
        secret::{self, TokenKind},
        token::Reach,
    },
    edges::HeardEdge,
    error::Error,
    state::{Serving, State},
    store,
    wire::{AtMost, RawJson},
};

/// The question of a proxy about tokens.
#[derive(Debug)]
pub struct EdgeApi;

/// Further operations that a proxy calls, apart from those of other programs.
#[derive(Debug)]
pub struct EdgeReportsApi;

refusals! {
    /// Questions of a proxy, which needs no credentials for them.
    OpenRefusals = 400, 413, 415, 429, 503;
    /// A sign of life, which carries nothing.
    SignRefusals = 401, 403, 503;
}

/// Tokens that a proxy received.
#[derive(Debug, Clone, Object)]
#[oai(rename = "TokensToValidate")]
pub struct TokensToValidateBody {
    /// The full secrets.
    #[oai(validator(max_length = 10_000))]
    pub tokens: AtMost<500, String>,
}

/// Type of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename_all = "lowercase", rename = "EdgeTokenType")]
#[serde(rename_all = "lowercase")]
pub enum TokenType {
    /// Administration.
    Admin,
    /// Programs that read features.
    Client,
    /// Browsers and apps.
    Frontend,
}

impl From<TokenKind> for TokenType {
    fn from(kind: TokenKind) -> Self {
        match kind {
            TokenKind::Admin => Self::Admin,
            TokenKind::Client => Self::Client,
            TokenKind::Frontend => Self::Frontend,
        }
    }
}

/// A valid token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ValidToken")]
pub struct ValidTokenBody {
    /// The full secret, as it was sent.
    pub token: String,
    /// Type of the token.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    pub kind: TokenType,
    /// Ids of the projects that it reaches; `*` is all of them.
    pub projects: Vec<String>,
    /// Name of the environment that it reaches; `*` is all of them.
    pub environment: String,
}

impl ValidTokenBody {
    /// A token that reaches so far.
    pub(in crate::api) fn of(full_secret: String, reach: &Reach) -> Self {
        Self {
            token: full_secret,
            kind: reach.kind.into(),
            projects: reach.projects.clone(),
            environment: reach.environment.clone(),
        }
    }
}

/// The valid tokens.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ValidTokens")]
pub struct ValidTokensBody {
    /// The requested tokens that exist and have not expired, in the order of the request.
    pub tokens: Vec<ValidTokenBody>,
}

/// Whether a proxy may serve.
#[derive(Debug, Clone, Copy, Enum, Serialize)]
#[oai(rename = "EdgeLicenseState")]
pub enum LicenseState {
    /// It may.
    Valid,
}

/// Whether a proxy may serve.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "EdgeLicense", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct EdgeLicenseBody {
    /// Always `Valid`, since Flagstone has no licences.
    pub edge_license_state: LicenseState,
}

#[OpenApi(tag = "Tag::Applications")]
impl EdgeApi {
    /// Validate tokens
    ///
    /// For proxies, which receive tokens from programs. Needs no credentials, since the caller has the secrets already.
    /// Personal tokens are never valid here. Limited to 100 invalid tokens a minute from one address; valid tokens are
    /// not counted.
    #[oai(path = "/edge/validate", method = "post", operation_id = "getValidTokens")]
    async fn get_valid_tokens(
        &self,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        body: Body<TokensToValidateBody>,
    ) -> Result<Out<ValidTokensBody>, Fails<OpenRefusals>> {
        let secrets = body.read()?.tokens.0;
        let digests: Vec<String> = secrets.iter().map(|full_secret| secret::digest(full_secret.trim())).collect();
        let now = state.clock.now();
        let mut serving = store::tokens::client::by_digests(&state.db, &digests).await?;
        serving.retain(|_, token| token.serves(now));
        let others: HashSet<&String> = digests.iter().filter(|digest| !serving.contains_key(*digest)).collect();
        state.attempts.unknown_token.count_several(&address.network(), others.len())?;
        let mut tokens: Vec<ValidTokenBody> = Vec::new();
        for (full_secret, digest) in secrets.into_iter().zip(&digests) {
            let Some(token) = serving.get(digest) else { continue };
            if tokens.iter().any(|listed| listed.token == full_secret) {
                continue;
            }
            tokens.push(ValidTokenBody::of(full_secret, &token.reach));
        }
        Ok(Out(ValidTokensBody { tokens }))
    }
}

#[OpenApi(tag = "Tag::Applications")]
impl EdgeReportsApi {
    /// Report bulk usage from a proxy (former path)
    ///
    /// The same as `/api/client/metrics/bulk`. Deprecated since 0.1.0: use `clientBulkMetrics`. Needs a client token or
    /// an admin token.
    #[oai(path = "/edge/metrics", method = "post", operation_id = "bulkMetrics", deprecated)]
    async fn bulk_metrics(
        &self,
        caller: ClientCaller,
        Data(serving): Data<&Serving>,
        request: &Request,
        /// A text that no other report with this token has: a report that comes again with it within a day is counted
        /// once.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<ReportKeyParameter>>,
        body: Body<BulkMetricsBody>,
    ) -> Result<DoneAccepted, Fails<WriteRefusals>> {
        gather(serving, &caller, request, key.0, body).await?;
        Ok(DoneAccepted)
    }

    /// Report the state of a proxy
    ///
    /// The state of an edge; `getEdges` returns the newest report of each for a week. A report without `identifier` and
    /// `appName`, each of at most 255 characters, is accepted and discarded, as are entries of its lists that cannot be
    /// read; unknown properties are ignored. Of `connectedEdges` 200 are kept over four levels, the nearest first, and of
    /// the whole report 128 KiB. Needs a client token or an admin token.
    #[oai(path = "/api/client/metrics/edge", method = "post", operation_id = "registerEdgeInstance")]
    async fn register_edge_instance(
        &self,
        caller: ClientCaller,
        Data(serving): Data<&Serving>,
        request: &Request,
        body: Body<RawJson>,
    ) -> Result<DoneAccepted, Fails<WriteRefusals>> {
        let told: serde_json::Value = serde_json::from_str(body.read()?.text()).map_err(Error::internal)?;
        let mut left_out = LeftOut::default();
        let report = EdgeReport::of(&told, &mut left_out);
        if let Err(property) = report {
            left_out.note(|| format!("/body/{property} is not a name of at most 255 characters."));
        }
        tell(serving, request, left_out, LeftOut::default());
        if let Ok(report) = report {
            serving.edges.heard(HeardEdge {
                report,
                heard_at: serving.clock.now(),
                token: caller.token_id(),
                projects: caller.projects(&[]),
                environment: caller.environment(None),
            });
        }
        Ok(DoneAccepted)
    }

    /// Check that a proxy may serve
    ///
    /// Always allowed, since Flagstone has no licences. Needs a client token or an admin token, and no body.
    #[oai(path = "/api/client/edge-licensing/heartbeat", method = "post", operation_id = "edgeInstanceHeartbeat")]
    async fn edge_instance_heartbeat(
        &self,
        _caller: ClientCaller,
    ) -> Result<Accepted<EdgeLicenseBody>, Fails<SignRefusals>> {
        Ok(Accepted(EdgeLicenseBody { edge_license_state: LicenseState::Valid }))
    }
}
