//! Trying integrations out: apart from what is delivered, so that neither holds up the other.

use flagstone_domain::{event::Event, integration::Integration};
use flagstone_state::{State, deliveries::TooManyTrials};

use super::attempt::{Attempted, Quoting, attempt};

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
