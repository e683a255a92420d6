//! Log level, changed while the server runs.

use poem::web::Data;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, NoContent, Out, QueryRefusals, ReadRefusals, WriteRefusals},
        body::Body,
        permitted::{Permitted, need},
        preference,
    },
    domain::{
        log_level::{LogLevel, USUAL_MINUTES},
        time::Timestamp,
    },
    error::Error,
    jobs::look_at_log_level,
    state::State,
    wire::Nullable,
};

/// The operations on the level of the log.
#[derive(Debug)]
pub struct LogLevelApi;

/// The log level.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "LogLevel", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct LogLevelBody {
    /// The current level.
    pub level: String,
    /// The configured level: `RUST_LOG` of the server that answers.
    pub initial_level: String,
    /// When the configured level applies again; `null` when it applies now.
    pub expires_at: Nullable<Timestamp>,
}

/// A log level to set.
#[derive(Debug, Clone, Object)]
#[oai(rename = "LogLevelUpdate", rename_all = "camelCase")]
pub struct LogLevelUpdateBody {
    /// One of `off`, `error`, `warn`, `info`, `debug` and `trace`; or up to 20 directives separated by commas, of which
    /// those with `=` apply to a part of the program: `info,flagstone::sql=trace` also logs SQL statements,
    /// `flagstone::access=info` each request. Levels below `info` apply to Flagstone's own parts only.
    #[oai(validator(
        max_length = 500,
        pattern = "^([A-Za-z0-9_]+(::[A-Za-z0-9_]+)*=)?(off|error|warn|info|debug|trace)(,([A-Za-z0-9_]+(::[A-Za-z0-9_]+)*=)?(off|error|warn|info|debug|trace)){0,19}$"
    ))]
    pub level: String,
    /// Minutes for which the level applies. Absent: 60.
    #[oai(validator(minimum(value = "1"), maximum(value = "1440")))]
    pub minutes: Option<i64>,
}

#[OpenApi(tag = "Tag::Operational")]
impl LogLevelApi {
    /// Get the log level
    #[oai(path = "/api/admin/log-level", method = "get", operation_id = "getLogLevel")]
    async fn get_log_level(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<LogLevelBody>, Fails<ReadRefusals>> {
        Ok(Out(told(state, &preference::get(state).await?)))
    }

    /// Update the log level
    ///
    /// Applies for the given time, on every server of the instance within a second or two. Edges are not affected.
    #[oai(path = "/api/admin/log-level", method = "put", operation_id = "setLogLevel")]
    async fn set_log_level(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<LogLevelUpdateBody>,
    ) -> Result<Out<LogLevelBody>, Fails<WriteRefusals>> {
        let LogLevelUpdateBody { level, minutes } = body.read()?;
        let wanted = LogLevel::new(&level, minutes.unwrap_or(USUAL_MINUTES), state.clock.now());
        let wanted = wanted.map_err(|rule| Error::property("/body/level", rule))?;
        preference::replace(state, &caller, &wanted, &LogLevel::default()).await?;
        look_at_log_level(state).await;
        Ok(Out(told(state, &wanted)))
    }

    /// Reset the log level
    ///
    /// Every server returns to the level of its `RUST_LOG`. Without an override, nothing happens.
    #[oai(path = "/api/admin/log-level", method = "delete", operation_id = "resetLogLevel")]
    async fn reset_log_level(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<NoContent, Fails<QueryRefusals>> {
        let unset = LogLevel::default();
        preference::replace(state, &caller, &unset, &unset).await?;
        look_at_log_level(state).await;
        Ok(NoContent)
    }
}

fn told(state: &State, setting: &LogLevel) -> LogLevelBody {
    let initial = state.config.log.initial();
    let in_force = setting.in_force(state.clock.now());
    LogLevelBody {
        level: in_force.map_or(initial, |(level, _)| level).to_owned(),
        initial_level: initial.to_owned(),
        expires_at: in_force.map(|(_, expires_at)| expires_at).into(),
    }
}

#[cfg(test)]
mod tests {
    use poem_openapi::types::Type as _;

    use super::*;
    use crate::domain::log_level;

    #[test]
    fn the_document_has_the_pattern_and_the_bound_that_levels_are_judged_by() {
        let mut registry = poem_openapi::registry::Registry::new();
        LogLevelUpdateBody::register(&mut registry);
        let schema = &registry.schemas["LogLevelUpdate"];
        let level = schema.properties.iter().find(|(name, _)| *name == "level").map(|(_, level)| level.unwrap_inline());
        let level = level.expect("a property");
        assert_eq!(level.pattern.as_deref(), Some(log_level::PATTERN));
        assert_eq!(level.max_length, Some(log_level::LONGEST));
    }
}
