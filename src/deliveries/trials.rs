//! Trying integrations out: apart from what is delivered, so that neither holds up the other.

use super::attempt::{Attempted, Quoting, attempt};
use crate::{
    domain::{event::Event, integration::Integration},
    state::{State, deliveries::TooManyTrials},
};

/// Delivers an event to an integration for a person who tries it out.
pub async fn try_out(
    state: &State,
    person: i64,
    integration: &Integration,
    event: &Event,
    message_id: &str,
    quoting: Quoting,
) -> Result<Attempted, TooManyTrials> {
    let trials = &state.deliveries.trials;
    let _trial = trials.begin(person)?;
    Ok(attempt(state, &trials.outbound, integration, event, message_id, quoting).await)
}
