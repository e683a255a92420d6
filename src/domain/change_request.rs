//! Change requests: changes of one project and environment, which others approve before they are applied together.

pub mod action;
pub mod certificate;
pub mod configuration;
pub mod conflict;
pub mod consequence;
pub mod digest;
pub mod event;
pub mod judge;
pub mod moved_in;
pub mod proof;
pub mod review;
pub mod reviewer_rules;
pub mod reviewers;
pub mod schedule;
pub mod sent_to_review;
pub mod state;
pub mod touch;
pub mod transition;

use std::collections::BTreeMap;

use serde_json::Value;

use self::{action::Action, review::Review, schedule::Schedule, state::State};
use crate::{
    text::{has_nul, is_longer},
    time::Timestamp,
    version::Version,
};

/// Most changes of one change request.
pub const MOST_CHANGES: usize = 1000;
/// Most open change requests of one user in a project.
pub const MOST_OPEN: u64 = 100;
/// Most comments of one change request.
pub const MOST_COMMENTS: u64 = 1000;
/// Greatest id of a change request, a change or a comment: greater numbers are not exact in the JSON of browsers.
pub const GREATEST_ID: i64 = (1 << 53) - 1;
/// Most users who are asked to approve one change request.
pub const MOST_REVIEWERS: usize = 100;
/// Most characters of a comment.
pub const MAX_COMMENT_LENGTH: usize = 1000;
/// Most characters of a title.
pub const MAX_TITLE_LENGTH: usize = 255;

/// User as others see them on a change request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Id of the user.
    pub id: i64,
    /// Unique name to sign in with.
    pub username: Option<String>,
    /// Email address.
    pub email: Option<String>,
    /// Display name.
    pub name: Option<String>,
}

impl Person {
    /// A user of whom the id alone is known.
    pub const fn unnamed(id: i64) -> Self {
        Self { id, username: None, email: None, name: None }
    }
}

/// Target of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A feature.
    Feature {
        /// Its name.
        name: String,
        /// Its internal id when the change was recorded: a later feature of this name is another one.
        id: Option<i64>,
    },
    /// A segment of the project, by its id.
    Segment(i64),
}

impl Target {
    /// Name of the feature, if it is one.
    pub fn feature(&self) -> Option<&str> {
        match self {
            Self::Feature { name, .. } => Some(name),
            Self::Segment(_) => None,
        }
    }

    /// Internal id of the feature, if it is one that existed when the change was recorded.
    pub const fn feature_id(&self) -> Option<i64> {
        match self {
            Self::Feature { id, .. } => *id,
            Self::Segment(_) => None,
        }
    }

    /// Returns the target with the internal id that its feature has now, so that a later feature of the name is
    /// another.
    #[must_use]
    pub fn identified(self, id_of: impl FnOnce(&str) -> Option<i64>) -> Self {
        match self {
            Self::Feature { name, .. } => {
                let id = id_of(&name);
                Self::Feature { name, id }
            }
            Self::Segment(id) => Self::Segment(id),
        }
    }

    /// Id of the segment, if it is one.
    pub const fn segment(&self) -> Option<i64> {
        match self {
            Self::Feature { .. } => None,
            Self::Segment(id) => Some(*id),
        }
    }
}

/// A change that a change request holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Unique id.
    pub id: i64,
    /// Target of the change.
    pub target: Target,
    /// Effect on the target.
    pub action: Action,
    /// State of the target when the change was recorded, if the action has one.
    pub snapshot: Option<Value>,
    /// Author of the change.
    pub created_by: Person,
    /// When it was recorded.
    pub created_at: Timestamp,
}

/// Comment on a change request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Unique id.
    pub id: i64,
    /// The text.
    pub text: String,
    /// Author of the comment.
    pub created_by: Person,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A change request with everything that belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeRequest {
    /// Unique id.
    pub id: i64,
    /// Id of its project.
    pub project: String,
    /// Name of its environment.
    pub environment: String,
    /// State that it is in.
    pub state: State,
    /// Title that a user gave it.
    pub title: Option<String>,
    /// Approvals that it needs.
    pub min_approvals: i64,
    /// Number that rises with each change of its contents.
    pub revision: i64,
    /// Author.
    pub created_by: Person,
    /// When it was created.
    pub created_at: Timestamp,
    /// Changes, in the order in which they are applied.
    pub changes: Vec<Change>,
    /// Approvals, oldest first.
    pub approvals: Vec<Review>,
    /// Rejections, oldest first.
    pub rejections: Vec<Review>,
    /// Comments, oldest first.
    pub comments: Vec<Comment>,
    /// Schedule, while it is scheduled.
    pub schedule: Option<Schedule>,
    /// When each state was last entered.
    pub entered: BTreeMap<State, Timestamp>,
    /// Digest of the changes that were applied.
    pub applied_digest: Option<String>,
}

impl ChangeRequest {
    /// Title that a user gave it, or one that names its id.
    pub fn title(&self) -> String {
        shown_title(self.title.as_deref(), self.id)
    }

    /// Changes of features by the name of the feature, in the order of each one's first change.
    pub fn features(&self) -> Vec<(&str, Vec<&Change>)> {
        let mut features: Vec<(&str, Vec<&Change>)> = Vec::new();
        for change in &self.changes {
            let Some(name) = change.target.feature() else { continue };
            match features.iter_mut().find(|(known, _)| *known == name) {
                Some((_, changes)) => changes.push(change),
                None => features.push((name, vec![change])),
            }
        }
        features
    }

    /// Changes of segments, by the id of the segment.
    pub fn segments(&self) -> impl Iterator<Item = (i64, &Change)> {
        self.changes.iter().filter_map(|change| match change.target {
            Target::Segment(id) => Some((id, change)),
            Target::Feature { .. } => None,
        })
    }

    /// Digest of what its reviewers see: see [`digest::of`].
    pub fn digest(&self) -> String {
        digest::of(self.changes.iter().map(|change| (&change.target, &change.action)), self.min_approvals)
    }

    /// Version of its state and its contents, which others may have changed since they were seen.
    pub fn version(&self) -> Version {
        Version::of(&(self.id, self.state, self.revision))
    }

    /// Text of which [`ChangeRequest::digest`] is the SHA-256.
    pub fn digested_text(&self) -> String {
        digest::text_of(self.changes.iter().map(|change| (&change.target, &change.action)), self.min_approvals)
    }

    /// Whether a user sees it: a draft is its author's alone.
    pub fn is_visible_to(&self, user_id: Option<i64>) -> bool {
        self.state != State::Draft || user_id == Some(self.created_by.id)
    }
}

/// Title of a change request: the given one, or one that names the id, since consoles make no link of an empty title.
pub fn shown_title(given: Option<&str>, id: i64) -> String {
    given.map_or_else(|| format!("Change request #{id}"), str::to_owned)
}

/// Reads a title without the blanks around it; `None` where nothing remains. The error is the end of a sentence about
/// it.
pub fn read_title(text: &str) -> Result<Option<String>, String> {
    let text = text.trim();
    if is_longer(text, MAX_TITLE_LENGTH) || has_nul(text) {
        return Err(format!("must have at most {MAX_TITLE_LENGTH} characters"));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// Reads a comment without the blanks around it. The error is the end of a sentence about it.
pub fn read_comment(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() || is_longer(text, MAX_COMMENT_LENGTH) || has_nul(text) {
        return Err(format!("must have 1 to {MAX_COMMENT_LENGTH} characters, without the blanks around it"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(id: i64) -> Person {
        Person { id, username: Some(format!("user-{id}")), email: None, name: None }
    }

    fn change(id: i64, target: Target) -> Change {
        let created_at = Timestamp::from_millis(0);
        Change { id, target, action: Action::ArchiveFeature, snapshot: None, created_by: person(1), created_at }
    }

    fn request(changes: Vec<Change>) -> ChangeRequest {
        ChangeRequest {
            id: 12,
            project: "shop".to_owned(),
            environment: "production".to_owned(),
            state: State::Draft,
            title: None,
            min_approvals: 1,
            revision: 1,
            created_by: person(1),
            created_at: Timestamp::from_millis(0),
            changes,
            approvals: Vec::new(),
            rejections: Vec::new(),
            comments: Vec::new(),
            schedule: None,
            entered: BTreeMap::new(),
            applied_digest: None,
        }
    }

    #[test]
    fn changes_are_grouped_by_feature_in_the_order_of_their_coming() {
        let feature = |name: &str| Target::Feature { name: name.to_owned(), id: None };
        let request = request(vec![
            change(1, feature("b")),
            change(2, Target::Segment(7)),
            change(3, feature("a")),
            change(4, feature("b")),
        ]);
        let grouped: Vec<(&str, Vec<i64>)> = request
            .features()
            .into_iter()
            .map(|(name, changes)| (name, changes.into_iter().map(|change| change.id).collect()))
            .collect();
        assert_eq!(grouped, [("b", vec![1, 4]), ("a", vec![3])]);
        assert_eq!(request.segments().map(|(id, change)| (id, change.id)).collect::<Vec<_>>(), [(7, 2)]);
    }

    #[test]
    fn a_draft_is_seen_by_its_author_alone_and_everything_else_by_all() {
        let draft = request(Vec::new());
        let seen = |request: &ChangeRequest| [Some(1), Some(2), None].map(|user| request.is_visible_to(user));
        assert_eq!(seen(&draft), [true, false, false]);
        for state in State::ALL.into_iter().filter(|state| *state != State::Draft) {
            assert_eq!(seen(&ChangeRequest { state, ..draft.clone() }), [true; 3], "{state:?}");
        }
    }

    #[test]
    fn a_title_is_never_empty() {
        assert_eq!(shown_title(None, 12), "Change request #12");
        assert_eq!(shown_title(Some("Launch"), 12), "Launch");
        assert_eq!(read_title("  "), Ok(None));
        assert_eq!(read_title(" Launch "), Ok(Some("Launch".to_owned())));
        assert!(read_title(&"ä".repeat(MAX_TITLE_LENGTH)).is_ok());
        assert!(read_title(&"ä".repeat(MAX_TITLE_LENGTH + 1)).is_err());
    }

    #[test]
    fn a_comment_has_a_thousand_characters_between_its_blanks() {
        assert_eq!(read_comment(" why? "), Ok("why?".to_owned()));
        assert!(read_comment(&format!(" {} ", "ä".repeat(MAX_COMMENT_LENGTH))).is_ok());
        for text in ["", " \n", "a\0b", &"ä".repeat(MAX_COMMENT_LENGTH + 1)] {
            assert!(read_comment(text).is_err(), "{text:?}");
        }
    }
}
