//! Applications that do not follow from approvals.

use std::fmt;

/// An application that does not follow from approvals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Id of the event of the application.
    pub event_id: i64,
    /// Id of the change request.
    pub change_request: i64,
    /// Kind of the fault.
    pub kind: FaultKind,
}

/// Kind of a fault in the proof of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The change request is not open at that place: it was never created, or has ended before.
    NotOpen,
    /// The application does not say what was applied.
    NoDigest,
    /// It needs approvals and names none.
    NotApproved,
    /// It names an approval that the log does not have before it.
    Unknown {
        /// Id of the approval.
        approval_id: i64,
    },
    /// It names an approval of another change request.
    OfAnother {
        /// Id of the event of the approval.
        approval: i64,
        /// Id of that change request.
        change_request: i64,
    },
    /// It names an approval of other changes.
    OtherDigest {
        /// Id of the event of the approval.
        approval: i64,
    },
    /// It names an approval after which the changes became others.
    Void {
        /// Id of the event of the approval.
        approval: i64,
        /// Id of the event of the first change after it.
        changed_by: i64,
    },
    /// Fewer users than needed gave the approvals that it names.
    TooFew {
        /// Number of different users.
        given: i64,
        /// Number that the approvals say is needed.
        needed: i64,
    },
    /// The approvals and the application agree, but the changes that the log recorded are others.
    OtherChanges,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { event_id, change_request, kind } = self;
        write!(f, "event {event_id} says that change request {change_request} was applied, ")?;
        match kind {
            FaultKind::NotOpen => f.write_str("which was never created, or had ended before"),
            FaultKind::NoDigest => f.write_str("but not which changes that made"),
            FaultKind::NotApproved => f.write_str("without any approval of the changes that the log recorded"),
            FaultKind::Unknown { approval_id } => {
                write!(f, "by approval {approval_id}, which the log does not have before it")
            }
            FaultKind::OfAnother { approval, change_request } => {
                write!(f, "by the approval of event {approval}, which is one of change request {change_request}")
            }
            FaultKind::OtherDigest { approval } => {
                write!(f, "by the approval of event {approval}, which is one of other changes")
            }
            FaultKind::Void { approval, changed_by } => {
                write!(f, "by the approval of event {approval}, after which event {changed_by} changed it")
            }
            FaultKind::TooFew { given, needed } => {
                write!(f, "by approvals of {given} users, of {needed} that it needed")
            }
            FaultKind::OtherChanges => f.write_str("with changes that are not those that the log recorded"),
        }
    }
}
