//! Figures of deliveries to integrations.

use super::{Row, Sheet, seconds, size, whole};
use crate::{
    state::{State, deliveries::Ending},
    store::integrations::deliveries::Backlog,
};

/// Figures of this node, and of the backlog in the database as far as that answers.
pub(super) fn figures(sheet: &Sheet, state: &State, backlog: Option<&Backlog>) -> prometheus::Result<()> {
    let attempts = Ending::NAMED.map(|(ending, name)| ([name], whole(state.deliveries.attempts(ending))));
    let attempts: Vec<Row<'_>> = attempts.iter().map(|(labels, figure)| (&labels[..], *figure)).collect();
    sheet.count(
        "flagstone_delivery_attempts_total",
        "Attempts of this node to tell an integration of an event: taken, put off to a later attempt, or refused for good.",
        &["ending"],
        &attempts,
    )?;
    let under_way = size(state.deliveries.under_way());
    sheet.gauge(
        "flagstone_deliveries_under_way",
        "Attempts of this node that have not ended.",
        &[],
        &[(&[], under_way)],
    )?;
    let Some(backlog) = backlog else { return Ok(()) };
    let waiting = [(&[][..], whole(backlog.waiting))];
    sheet.gauge(
        "flagstone_deliveries_waiting",
        "Deliveries that are still to be attempted, by any node.",
        &[],
        &waiting,
    )?;
    if let Some(oldest) = backlog.waiting_since {
        let help = "Since when the one of them waits that waits longest.";
        sheet.gauge("flagstone_deliveries_waiting_since_timestamp_seconds", help, &[], &[(&[], seconds(oldest))])?;
    }
    let failing = [(&[][..], whole(backlog.failing_integrations))];
    sheet.gauge(
        "flagstone_integrations_failing",
        "Integrations that are switched on and have taken nothing since an attempt failed.",
        &[],
        &failing,
    )
}
