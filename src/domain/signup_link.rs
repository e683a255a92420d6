//! Links with which people become users by themselves.

use serde::Serialize;

use crate::{email, time::Timestamp};

/// Longest life of a link, in days.
pub const MAX_DAYS: i64 = 30;

/// A link with which people create their own user. Holders of its secret may; the secret is not part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SignupLink {
    /// Id of the link, which is no secret and does not open it.
    pub id: i64,
    /// Name for administrators.
    pub name: String,
    /// Whether it can be used.
    pub enabled: bool,
    /// When it stops working.
    pub expires_at: Timestamp,
    /// When it was created.
    pub created_at: Timestamp,
    /// Name of who made it.
    pub created_by: Option<String>,
    /// The only address that signs up with it; `None` for one that serves all who have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

impl SignupLink {
    /// Whether it is for a user with this address.
    pub fn is_for(&self, email: &str) -> bool {
        self.email.as_ref().is_none_or(|only| *only == email::folded(email))
    }

    /// Whether it lets people in at this moment.
    pub fn admits(&self, now: Timestamp) -> bool {
        self.enabled && now < self.expires_at
    }
}

/// When a link ends whose end is asked for: as asked, but within [`MAX_DAYS`]; `None` when that is not in the future.
pub fn end(asked: Timestamp, now: Timestamp) -> Option<Timestamp> {
    (asked > now).then(|| asked.min(now.plus_days(MAX_DAYS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_000_000);

    #[test]
    fn a_link_ends_as_asked_within_a_month() {
        assert_eq!(end(NOW.plus_days(1), NOW), Some(NOW.plus_days(1)));
        assert_eq!(end(NOW.plus_days(31), NOW), Some(NOW.plus_days(30)));
        assert_eq!(end(NOW, NOW), None);
    }

    #[test]
    fn a_link_admits_while_it_is_enabled_and_lasts() {
        let link = SignupLink {
            id: 1,
            name: "welcome".to_owned(),
            enabled: true,
            expires_at: NOW.plus_days(1),
            created_at: NOW,
            created_by: None,
            email: Some("ada@example.com".to_owned()),
        };
        assert!(link.admits(NOW));
        assert!(!link.admits(NOW.plus_days(1)));
        assert!(link.is_for("Ada@Example.com") && !link.is_for("eve@example.com"));
        assert!(SignupLink { email: None, ..link.clone() }.is_for("eve@example.com"));
        assert!(!SignupLink { enabled: false, ..link }.admits(NOW));
    }
}
