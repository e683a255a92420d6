//! Whether a directory keeps people and groups, and its token.

use poem::web::Data;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, QueryRefusals, ReadRefusals, WriteRefusals},
        author::author,
        body::Body,
        permitted::{Permitted, need},
        preference,
    },
    domain::scim::Provisioning,
    state::State,
};

/// The operations on settings of SCIM.
#[derive(Debug)]
pub struct ScimSettingsApi;

/// Whether SCIM is enabled.
#[derive(Debug, Clone, Copy, Serialize, Object)]
#[oai(rename = "ScimSettings", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ScimSettingsBody {
    /// Whether SCIM is switched on.
    pub enabled: bool,
    /// Whether there is a token.
    pub has_token: bool,
}

/// Whether to enable SCIM.
#[derive(Debug, Clone, Copy, Object)]
#[oai(rename = "ScimSwitch")]
pub struct ScimSwitchBody {
    /// Whether SCIM is switched on.
    pub enabled: bool,
}

/// The token of the directory.
#[derive(Clone, Serialize, Object)]
#[oai(rename = "ScimToken")]
pub struct ScimTokenBody {
    /// The token, shown this once.
    pub token: String,
}

opaque_debug!(ScimTokenBody);

impl From<&Provisioning> for ScimSettingsBody {
    fn from(settings: &Provisioning) -> Self {
        Self { enabled: settings.enabled, has_token: settings.token_hash.is_some() }
    }
}

#[OpenApi(tag = "Tag::Scim")]
impl ScimSettingsApi {
    /// Get the SCIM settings
    #[oai(path = "/api/admin/scim-settings", method = "get", operation_id = "getScimSettings")]
    async fn get_scim_settings(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<ScimSettingsBody>, Fails<ReadRefusals>> {
        let settings: Provisioning = preference::get(state).await?;
        Ok(Out((&settings).into()))
    }

    /// Update the SCIM settings
    ///
    /// While SCIM is on, the directory that has the token manages users and groups below `/scim`, and so does each
    /// directory of `createScimDirectory`. What they manage cannot be changed elsewhere; while it is off, everything
    /// there is 404. The token stays. Setting the current value leaves no event.
    #[oai(path = "/api/admin/scim-settings", method = "post", operation_id = "setScimSettings")]
    async fn set_scim_settings(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<ScimSwitchBody>,
    ) -> Result<Out<ScimSettingsBody>, Fails<WriteRefusals>> {
        let enabled = body.read()?.enabled;
        let settings = author(&caller, state).switch_scim(enabled).await?;
        Ok(Out((&settings).into()))
    }

    /// Generate a SCIM token
    ///
    /// The token for the default directory is shown only once; its digest is stored. The previous token stops working.
    /// Those of other directories stay.
    #[oai(path = "/api/admin/scim-settings/generate-new-token", method = "post", operation_id = "generateScimToken")]
    async fn generate_scim_token(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<ScimTokenBody>, Fails<QueryRefusals>> {
        let token = author(&caller, state).rotate_scim_token().await?;
        Ok(Out(ScimTokenBody { token }))
    }
}
