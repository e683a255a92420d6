//! Valid tokens, for edges behind this one.

use std::sync::Arc;

use poem::web::Data;
use poem_openapi::OpenApi;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out},
        body::Body,
        client_address::SentFrom,
        programs::edge::{OpenRefusals, TokensToValidateBody, ValidTokenBody, ValidTokensBody},
    },
    edge::Edge,
};

/// The question of another edge about tokens.
#[derive(Debug)]
pub struct EdgeTokensApi;

#[OpenApi(tag = "Tag::Applications")]
impl EdgeTokensApi {
    /// Validate tokens
    ///
    /// Answered from memory, or by the server before this edge.
    #[oai(path = "/edge/validate", method = "post", operation_id = "getValidTokens")]
    async fn get_valid_tokens(
        &self,
        SentFrom(address): SentFrom,
        Data(edge): Data<&Arc<Edge>>,
        body: Body<TokensToValidateBody>,
    ) -> Result<Out<ValidTokensBody>, Fails<OpenRefusals>> {
        let secrets = body.read()?.tokens.0;
        let known = edge.validate(&secrets, address.network()).await?;
        let mut tokens: Vec<ValidTokenBody> = Vec::new();
        for (full_secret, token) in secrets.into_iter().zip(known) {
            let Some(token) = token else { continue };
            if tokens.iter().all(|listed| listed.token != full_secret) {
                tokens.push(ValidTokenBody::of(full_secret, &token.reach));
            }
        }
        Ok(Out(ValidTokensBody { tokens }))
    }
}
