//! Figures of the read replica, where there is one.

use super::{Row, Sheet, whole};
use crate::{
    state::State,
    store::db::{ReplicaFigures, Standing},
};

/// Every state.
const STATES: [&str; 5] = ["unknown", "recent", "behind", "away", "foreign"];

const fn name(standing: Standing) -> &'static str {
    match standing {
        Standing::Unknown => "unknown",
        Standing::Recent => "recent",
        Standing::Behind => "behind",
        Standing::Away => "away",
        Standing::Foreign(_) => "foreign",
    }
}

pub(super) fn figures(sheet: &Sheet, state: &State) -> prometheus::Result<()> {
    let Some(ReplicaFigures { standing, age, chosen, passed_over, retried }) = state.db.replica_figures() else {
        return Ok(());
    };
    let states = STATES.map(|state| ([state], f64::from(u8::from(state == name(standing)))));
    let rows: Vec<Row<'_>> = states.iter().map(|(state, holds)| (&state[..], *holds)).collect();
    sheet.gauge(
        "flagstone_replica_state",
        "1 for the state of the read replica: recent is within the bound, behind is not, away does not answer, foreign is \
         no replica of the database.",
        &["state"],
        &rows,
    )?;
    if let Some(age) = age {
        let help =
            "How far behind the read replica is at most: time since it was seen to have all that the primary had.";
        sheet.gauge("flagstone_replica_lag_seconds", help, &[], &[(&[], age.as_secs_f64())])?;
    }
    sheet.count(
        "flagstone_replica_requests_total",
        "Requests with heavy reads by where they went: replica, or primary because the replica lacked something.",
        &["to"],
        &[(&["replica"], whole(chosen)), (&["primary"], whole(passed_over))],
    )?;
    sheet.count(
        "flagstone_replica_retries_total",
        "Statements that the read replica failed at and the primary was asked instead.",
        &[],
        &[(&[], whole(retried))],
    )
}
