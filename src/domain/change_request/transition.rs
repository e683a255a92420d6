//! Table of the states: who may do what with a change request, and what becomes of it.

#[cfg(test)]
mod tests;

use std::fmt;

use super::state::State;
use crate::permission::Permission;

/// Wish of a user about a change request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// To see it.
    Read,
    /// To add, edit or discard changes.
    Edit,
    /// To delete the draft.
    Discard,
    /// To send it to review.
    SendToReview,
    /// To approve it.
    Approve,
    /// To reject it.
    Reject,
    /// To give it up.
    Cancel,
    /// To make its changes now.
    Apply,
    /// To have its changes made at a set time.
    Schedule,
    /// To comment on it.
    Comment,
    /// To give it a title.
    Retitle,
    /// To ask users for their approval.
    RequestReviewers,
}

impl Wish {
    /// Every wish.
    pub const ALL: [Self; 12] = [
        Self::Read,
        Self::Edit,
        Self::Discard,
        Self::SendToReview,
        Self::Approve,
        Self::Reject,
        Self::Cancel,
        Self::Apply,
        Self::Schedule,
        Self::Comment,
        Self::Retitle,
        Self::RequestReviewers,
    ];

    /// The wish as a participle, for sentences.
    const fn done(self) -> &'static str {
        match self {
            Self::Read => "seen",
            Self::Edit => "changed",
            Self::Discard => "discarded",
            Self::SendToReview => "sent to review",
            Self::Approve => "approved",
            Self::Reject => "rejected",
            Self::Cancel => "cancelled",
            Self::Apply => "applied",
            Self::Schedule => "scheduled",
            Self::Comment => "commented on",
            Self::Retitle => "renamed",
            Self::RequestReviewers => "given reviewers",
        }
    }
}

/// Standing of a user towards a change request whose project they see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// Whether the user created it.
    pub is_author: bool,
    /// Whether the user is an administrator.
    pub is_admin: bool,
    /// Whether the user has `APPROVE_CHANGE_REQUEST` in the environment.
    pub may_approve: bool,
    /// Whether the user has `APPLY_CHANGE_REQUEST` in the environment.
    pub may_apply: bool,
    /// Whether the project lets the user submit changes: anyone in an open project, else members and administrators.
    pub may_submit: bool,
    /// Whether an approval of the user counts already.
    pub has_approved: bool,
}

/// A change request as far as it decides what may be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Circumstances {
    /// State that it is in.
    pub state: State,
    /// Whether its environment still has change requests.
    pub is_enabled: bool,
    /// Approvals that count.
    pub approvals: u64,
    /// Approvals that it needs.
    pub min_approvals: u64,
    /// Whether the required reviewers will have approved, with this wish granted.
    pub has_required_reviewers: bool,
}

impl Circumstances {
    /// State of a request under review with so many approvals.
    const fn reviewed(&self, approvals: u64) -> State {
        if approvals >= self.min_approvals && self.has_required_reviewers { State::Approved } else { State::InReview }
    }
}

/// Effect of a granted wish, apart from the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// None.
    Nothing,
    /// The change request is deleted.
    Gone,
    /// All approvals are dropped.
    DropApprovals,
    /// An approval of the user is added.
    AddApproval,
    /// A rejection of the user is added, and a schedule ends.
    AddRejection,
    /// The changes are made, all or none, and a schedule ends.
    MakeChanges,
    /// The changes are made at a set time, which takes the place of an earlier one.
    SetSchedule,
}

/// Outcome of a granted wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// State afterwards.
    pub to: State,
    /// Effect apart from it.
    pub effect: Effect,
}

/// Reason why a wish is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The draft of another user, of which nothing may be known.
    Hidden,
    /// No one may do this in this state.
    State(Wish, State),
    /// Change requests are switched off for the environment.
    SwitchedOff,
    /// Only its author may do this.
    NotAuthor(Wish),
    /// Its author may not approve it.
    OwnApproval,
    /// An approval of the user counts already.
    AlreadyApproved,
    /// The user lacks a permission in the environment.
    NoPermission(Permission),
    /// Only its author and administrators may do this.
    NeitherAuthorNorAdmin(Wish),
    /// Only members of the project may submit changes.
    NotMember,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hidden => f.write_str("There is no such change request."),
            Self::State(wish, state) => {
                write!(f, "The change request cannot be {} in the state \"{}\".", wish.done(), state.as_str())
            }
            Self::SwitchedOff => f.write_str("Change requests are switched off for this environment."),
            Self::NotAuthor(wish) => write!(f, "The change request can only be {} by its author.", wish.done()),
            Self::OwnApproval => f.write_str("You cannot approve your own change request."),
            Self::AlreadyApproved => f.write_str("You have already approved this change request."),
            Self::NoPermission(permission) => {
                write!(f, "You need the permission {} in this environment.", permission.as_str())
            }
            Self::NeitherAuthorNorAdmin(wish) => {
                write!(f, "The change request can only be {} by its author or an administrator.", wish.done())
            }
            Self::NotMember => f.write_str("Only members of the project can request changes in it."),
        }
    }
}

/// Returns the outcome of a user's wish about a change request, or why it is refused. The state is judged before the user, so
/// that nobody is sent for a permission that would not help.
pub fn step(now: &Circumstances, wish: Wish, user: Standing) -> Result<Step, Refusal> {
    use State::{Approved, Cancelled, Draft, InReview, Rejected, Scheduled};
    let is_hidden = now.state == Draft && !user.is_author && !(user.is_admin && wish == Wish::Cancel);
    if is_hidden {
        return Err(Refusal::Hidden);
    }
    let stays = |effect| Ok(Step { to: now.state, effect });
    let needs_state = |states: &[State]| {
        if states.contains(&now.state) { Ok(()) } else { Err(Refusal::State(wish, now.state)) }
    };
    match wish {
        Wish::Read => stays(Effect::Nothing),
        Wish::Edit => {
            needs_state(&State::PENDING)?;
            author_who_may_submit(now, wish, user)?;
            match now.state {
                Draft => stays(Effect::Nothing),
                _ => Ok(Step { to: now.reviewed(0), effect: Effect::DropApprovals }),
            }
        }
        Wish::Discard => {
            needs_state(&[Draft])?;
            Ok(Step { to: Draft, effect: Effect::Gone })
        }
        Wish::SendToReview => {
            needs_state(&[Draft])?;
            author_who_may_submit(now, wish, user)?;
            Ok(Step { to: now.reviewed(0), effect: Effect::Nothing })
        }
        Wish::Approve => {
            needs_state(&[InReview])?;
            enabled(now)?;
            permitted(user.may_approve, user, Permission::ApproveChangeRequest)?;
            if user.is_author && !user.is_admin {
                return Err(Refusal::OwnApproval);
            }
            if user.has_approved {
                return Err(Refusal::AlreadyApproved);
            }
            Ok(Step { to: now.reviewed(now.approvals.saturating_add(1)), effect: Effect::AddApproval })
        }
        Wish::Reject => {
            needs_state(&[InReview, Scheduled])?;
            if now.state == InReview {
                enabled(now)?;
            }
            let is_own = now.state == Scheduled && user.is_author;
            permitted(user.may_approve || is_own, user, Permission::ApproveChangeRequest)?;
            Ok(Step { to: Rejected, effect: Effect::AddRejection })
        }
        Wish::Cancel => {
            needs_state(&State::PENDING)?;
            if !user.is_author && !user.is_admin {
                return Err(Refusal::NeitherAuthorNorAdmin(wish));
            }
            Ok(Step { to: Cancelled, effect: Effect::Nothing })
        }
        Wish::Apply | Wish::Schedule => {
            needs_state(&[Approved, Scheduled])?;
            // A scheduled request is applied also after they were switched off, so that it can be put off or brought forward.
            if now.state == Approved {
                enabled(now)?;
            }
            permitted(user.may_apply, user, Permission::ApplyChangeRequest)?;
            Ok(match wish {
                Wish::Apply => Step { to: State::Applied, effect: Effect::MakeChanges },
                _ => Step { to: Scheduled, effect: Effect::SetSchedule },
            })
        }
        Wish::Comment => {
            enabled(now)?;
            stays(Effect::Nothing)
        }
        Wish::Retitle | Wish::RequestReviewers => {
            needs_state(&State::OPEN)?;
            if !user.is_author {
                return Err(Refusal::NotAuthor(wish));
            }
            stays(Effect::Nothing)
        }
    }
}

fn author_who_may_submit(now: &Circumstances, wish: Wish, user: Standing) -> Result<(), Refusal> {
    enabled(now)?;
    if !user.is_author {
        return Err(Refusal::NotAuthor(wish));
    }
    if user.may_submit || user.is_admin { Ok(()) } else { Err(Refusal::NotMember) }
}

const fn enabled(now: &Circumstances) -> Result<(), Refusal> {
    if now.is_enabled { Ok(()) } else { Err(Refusal::SwitchedOff) }
}

const fn permitted(has: bool, user: Standing, permission: Permission) -> Result<(), Refusal> {
    if has || user.is_admin { Ok(()) } else { Err(Refusal::NoPermission(permission)) }
}
