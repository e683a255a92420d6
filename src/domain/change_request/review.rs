//! Approvals and rejections: one of each kind per person, of the changes that they saw.

use super::Person;
use crate::time::Timestamp;

/// Verdict of a reviewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The changes may be made.
    Approval,
    /// They may not.
    Rejection,
}

impl Verdict {
    /// The stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approval => "approval",
            Self::Rejection => "rejection",
        }
    }

    /// Reads the stored name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Approval, Self::Rejection].into_iter().find(|verdict| verdict.as_str() == name)
    }
}

/// Approval or rejection of a change request by one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// Unique id, by which events name it.
    pub id: i64,
    /// Digest of the changes that the reviewer saw.
    pub digest: String,
    /// Reviewer.
    pub created_by: Person,
    /// When it was given.
    pub created_at: Timestamp,
}

/// Approvals that count: of these changes and no others, each person once.
pub fn counted<'a>(approvals: &'a [Review], digest: &str) -> Vec<&'a Review> {
    let mut counted: Vec<&Review> = Vec::new();
    for approval in approvals.iter().filter(|approval| approval.digest == digest) {
        if counted.iter().all(|one| one.created_by.id != approval.created_by.id) {
            counted.push(approval);
        }
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_counts_once_and_only_for_the_changes_that_they_saw() {
        let approval = |id: i64, user: i64, digest: &str| Review {
            id,
            digest: digest.to_owned(),
            created_by: Person { id: user, username: None, email: None, name: None },
            created_at: Timestamp::from_millis(id),
        };
        let given = [approval(1, 7, "new"), approval(2, 7, "new"), approval(3, 8, "old"), approval(4, 9, "new")];
        let ids: Vec<i64> = counted(&given, "new").into_iter().map(|one| one.id).collect();
        assert_eq!(ids, [1, 4]);
        assert!(counted(&given, "newest").is_empty());
        for verdict in [Verdict::Approval, Verdict::Rejection] {
            assert_eq!(Verdict::parse(verdict.as_str()), Some(verdict));
        }
    }
}
