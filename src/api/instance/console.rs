//! Operations that consoles call without anybody asking: what is collected about the instance, whether it is licensed, and
//! errors of their pages.

use poem::{Request, web::Data};
use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, NoContent, Out, ReadRefusals, WriteRefusals},
        body::Body,
        caller::AuthenticatedCaller,
        client_address,
    },
    state::State,
};

/// The operations for consoles.
#[derive(Debug)]
pub struct ConsoleApi;

/// Settings of what the server sends to its makers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "TelemetrySettings", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct TelemetrySettingsBody {
    /// Whether the version is sent to the makers of the server: false.
    pub version_info_collection_enabled: bool,
    /// Whether the use of functions is sent to the makers of the server: false.
    pub feature_info_collection_enabled: bool,
}

/// Validity of the licence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "LicenseCheck", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct LicenseCheckBody {
    /// Whether the server may be used: true.
    pub is_valid: bool,
}

/// An error of a console.
#[derive(Debug, Object)]
#[oai(rename = "ConsoleError", rename_all = "camelCase")]
pub struct ConsoleErrorBody {
    /// Message of the error. At most 2000 characters.
    #[oai(validator(min_length = 1, max_length = 2000))]
    pub error_message: String,
    /// Stack trace in the console's code. At most 10000 characters.
    #[oai(validator(max_length = 10000))]
    pub error_stack: Option<String>,
}

#[OpenApi(tag = "Tag::Instance")]
impl ConsoleApi {
    /// Get the telemetry settings
    ///
    /// This server sends nothing about itself or its use to anybody. Needs no permission.
    #[oai(path = "/api/admin/telemetry/settings", method = "get", operation_id = "getTelemetrySettings")]
    async fn get_telemetry_settings(
        &self,
        _caller: AuthenticatedCaller,
    ) -> Result<Out<TelemetrySettingsBody>, Fails<ReadRefusals>> {
        Ok(Out(TelemetrySettingsBody {
            version_info_collection_enabled: false,
            feature_info_collection_enabled: false,
        }))
    }

    /// Check the licence
    ///
    /// This server needs no licence, and is valid for ever. Needs no permission.
    #[oai(path = "/api/admin/license/check", method = "get", operation_id = "checkLicense")]
    async fn check_license(&self, _caller: AuthenticatedCaller) -> Result<Out<LicenseCheckBody>, Fails<ReadRefusals>> {
        Ok(Out(LicenseCheckBody { is_valid: true }))
    }

    /// Report an error of a console
    ///
    /// Writes the error to the server's log as a warning: 20 a minute from one address, the others are accepted and left
    /// out. Nothing is stored. Needs no permission.
    #[oai(path = "/api/admin/record-ui-error", method = "post", operation_id = "recordUiError")]
    async fn record_ui_error(
        &self,
        _caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        request: &Request,
        body: Body<ConsoleErrorBody>,
    ) -> Result<NoContent, Fails<WriteRefusals>> {
        let body = body.read()?;
        if state.attempts.console_error.count(&client_address::of(request).network()).is_ok() {
            let stack = body.error_stack.unwrap_or_default();
            tracing::warn!(error = ?body.error_message, ?stack, "a page of the console failed");
        }
        Ok(NoContent)
    }
}
