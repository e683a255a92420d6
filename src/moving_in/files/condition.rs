//! Conditions of other products: comparisons, joined by *and*, *or* and *not*.
//!
//! Of each, two questions are asked: when does it hold for sure, and when does it fail for sure. Either answer is a sum
//! of what our constraints can say, and never more than the truth; a negation swaps the two.

use super::{
    comparison::Comparison,
    normal_form::{Answer, Sum, Term},
    segments::Segments,
};

/// Reason why something cannot be expressed here.
pub(super) type Unsupported = String;

/// Maximum depth of conditions and the segments in them.
const MOST_DEPTH: usize = 200;

/// Depth that a segment within a condition counts for, so that segments that name each other come to an end.
const DEPTH_OF_SEGMENT: usize = 20;
/// Minimum cost of writing out a segment.
const COST_OF_SEGMENT: usize = 1000;
/// Maximum number of parts that one condition may join.
const MOST_PARTS: usize = 500;

/// A condition on the context.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Condition {
    /// Always holds.
    Always,
    /// Never holds.
    Never,
    /// Holds when all of them do.
    All(Vec<Self>),
    /// Holds when one of them does.
    Any(Vec<Self>),
    /// Holds when the other does not.
    Not(Box<Self>),
    /// Compares a context field.
    Field(Comparison),
    /// Holds for those in a segment, by its place among all.
    Segment(usize),
    /// Cannot be said, and why.
    Unsupported(Unsupported),
}

/// Question about a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    Holds,
    Fails,
}

impl Question {
    const fn swapped(self) -> Self {
        match self {
            Self::Holds => Self::Fails,
            Self::Fails => Self::Holds,
        }
    }
}

impl Condition {
    /// The other way round.
    pub(super) fn inverted(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            Self::Always => Self::Never,
            Self::Never => Self::Always,
            other => Self::Not(Box::new(other)),
        }
    }

    /// When it holds for sure.
    pub(super) fn holds(&self, segments: &Segments) -> Result<Answer, Unsupported> {
        self.answer(Question::Holds, segments, 0)
    }

    /// When it fails for sure.
    pub(super) fn fails(&self, segments: &Segments) -> Result<Answer, Unsupported> {
        self.answer(Question::Fails, segments, 0)
    }

    fn answer(&self, question: Question, segments: &Segments, depth: usize) -> Result<Answer, Unsupported> {
        if depth > MOST_DEPTH {
            return Err(format!("a condition is nested more than {MOST_DEPTH} deep"));
        }
        let join = |parts: &[Self], all: bool| {
            if parts.len() > MOST_PARTS {
                return Err(format!("a condition joins more than {MOST_PARTS} others"));
            }
            let mut joined = if all { Answer::everybody() } else { Answer::nobody() };
            for part in parts {
                let answer = part.answer(question, segments, depth + 1)?;
                segments.spend(joined.sum.size().saturating_mul(if all { answer.sum.size() } else { 1 }))?;
                joined = if all { joined.and(&answer)? } else { joined.or(answer)? };
            }
            Ok(joined)
        };
        let holds = question == Question::Holds;
        match self {
            Self::Always | Self::Never if (*self == Self::Always) == holds => Ok(Answer::everybody()),
            Self::Always | Self::Never => Ok(Answer::nobody()),
            Self::All(parts) => join(parts, holds),
            Self::Any(parts) => join(parts, !holds),
            Self::Not(inner) => inner.answer(question.swapped(), segments, depth + 1),
            Self::Field(comparison) if holds => comparison.holds(),
            Self::Field(comparison) => comparison.fails(),
            Self::Segment(place) => match segments.ids(*place) {
                // A segment can only be applied, not inverted: for the other question its conditions are written out.
                Some((ids, exact)) if holds => {
                    Ok(Answer { sum: Sum::of(ids.iter().map(|id| Term::in_segment(*id))), exact })
                }
                _ => {
                    segments.spend(COST_OF_SEGMENT)?;
                    segments.condition(*place)?.answer(question, segments, depth + DEPTH_OF_SEGMENT)
                }
            },
            Self::Unsupported(reason) => Err(reason.clone()),
        }
    }
}
