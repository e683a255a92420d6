//! Log level: the same on every node, and no longer than it was set for.

use std::time::Duration;

use flagstone_state::State;

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::jobs::log_level";

/// Time until the setting is looked at again while one holds, or after a change of anything.
const TICK: Duration = Duration::from_secs(1);

/// Applies the log level that administrators set to this node, for ever.
pub async fn follow_log_level(state: &State) {
    let mut changes = state.db.watch_changes();
    loop {
        let holds = look(state).await;
        if holds {
            tokio::time::sleep(TICK).await;
            continue;
        }
        if changes.changed().await.is_err() {
            return;
        }
        // What changes meanwhile is looked at together.
        tokio::time::sleep(TICK).await;
    }
}

/// Follows the setting as it is now. Returns whether one holds that will end.
pub async fn look(state: &State) -> bool {
    let setting = match state.sdk.log_level().await {
        Ok(setting) => setting,
        Err(error) => {
            tracing::debug!(target: LOG, %error, "cannot read the setting of the log level");
            return true;
        }
    };
    let now = state.clock.now();
    let in_force = setting.as_ref().and_then(|setting| setting.in_force(now));
    let level = in_force.map(|(level, _)| level);
    if state.config.log.follow(level) {
        tracing::warn!(target: LOG, level = level.unwrap_or(state.config.log.initial()), "log level changed");
    }
    in_force.is_some()
}
