//! Following a SAML provider's metadata: where it is, how often it is read, and how that went.

use serde::{Deserialize, Serialize};

use crate::{preference::Preference, time::Timestamp};

/// Default interval in hours.
const INTERVAL_HOURS: u16 = 24;
/// Longest time after a failure until the next attempt.
const RETRY_MS: i64 = 3_600_000;

/// Whether the settings of SAML follow the provider's metadata.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MetadataRefresh {
    /// Whether they do.
    pub enabled: bool,
    /// Address of the metadata; kept while they do not.
    pub url: Option<String>,
    /// Hours from one reading to the next.
    pub interval_hours: u16,
}

/// Outcome of the last attempts to read metadata.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RefreshOutcome {
    /// Address that was read.
    pub url: String,
    /// When it was tried last.
    pub attempted_at: Timestamp,
    /// When it succeeded last.
    pub succeeded_at: Option<Timestamp>,
    /// Fault of the last attempt: the end of a sentence about the metadata.
    pub problem: Option<String>,
}

impl RefreshOutcome {
    /// Id of the note in the store.
    pub const ID: &'static str = "flagstone.saml-metadata-outcome";
}

impl Default for MetadataRefresh {
    fn default() -> Self {
        Self { enabled: false, url: None, interval_hours: INTERVAL_HOURS }
    }
}

impl Preference for MetadataRefresh {
    const ID: &'static str = "flagstone.saml-metadata-refresh";
}

impl MetadataRefresh {
    /// Address to read; `None` while the settings follow nothing.
    pub fn address(&self) -> Option<&str> {
        self.url.as_deref().filter(|_| self.enabled)
    }

    /// Whether it is time to read it: never read before from this address, or an interval ago. After a failure it is
    /// tried again within an hour.
    pub fn is_due(&self, outcome: Option<&RefreshOutcome>, now: Timestamp) -> bool {
        let Some(outcome) = outcome.filter(|outcome| Some(outcome.url.as_str()) == self.address()) else { return true };
        let interval = i64::from(self.interval_hours) * 3_600_000;
        let wait = if outcome.problem.is_some() { interval.min(RETRY_MS) } else { interval };
        outcome.attempted_at.plus_millis(wait) <= now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_read_at_each_interval_and_sooner_after_a_failure() {
        let url = "https://id.example.com/metadata".to_owned();
        let refresh = MetadataRefresh { enabled: true, url: Some(url.clone()), interval_hours: 24 };
        let start = Timestamp::from_millis(0);
        let outcome = |problem: Option<&str>| RefreshOutcome {
            url: url.clone(),
            attempted_at: start,
            succeeded_at: None,
            problem: problem.map(str::to_owned),
        };
        let after = |hours: i64| start.plus_millis(hours * 3_600_000);
        assert!(refresh.is_due(None, start));
        let (well, badly) = (outcome(None), outcome(Some("is not there")));
        assert!(!refresh.is_due(Some(&well), after(23)) && refresh.is_due(Some(&well), after(24)));
        assert!(!refresh.is_due(Some(&badly), start) && refresh.is_due(Some(&badly), after(1)));
        let elsewhere = MetadataRefresh { url: Some("https://id.example.org".to_owned()), ..refresh.clone() };
        assert!(elsewhere.is_due(Some(&well), start));
        assert_eq!(MetadataRefresh { enabled: false, ..refresh }.address(), None);
    }
}
