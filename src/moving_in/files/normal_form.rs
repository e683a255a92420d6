//! Sums of terms: what strategies can say. One term is a strategy, all of which must hold; one of a sum is enough.

use std::collections::{BTreeSet, HashSet};

use flagstone_domain::constraint::{Constraint, Operator};

use super::condition::Unsupported;

/// Most terms that are kept on the way to a result.
const MOST_TERMS: usize = 100;
/// Most constraints of all terms together on the way to a result.
const MOST_CONSTRAINTS: usize = 20_000;

/// Constraints and segments that must all hold. Without any it always holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Term {
    pub(super) constraints: Vec<Constraint>,
    pub(super) segments: BTreeSet<i64>,
}

/// Terms of which one is enough. Without any it never holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Sum(pub(super) Vec<Term>);

/// Set of users for whom a result is sure, and whether that is all for whom it is so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) sum: Sum,
    pub(super) exact: bool,
}

impl Term {
    pub(super) fn in_segment(id: i64) -> Self {
        Self { constraints: Vec::new(), segments: BTreeSet::from([id]) }
    }

    /// Returns the conjunction of both; `None` where it never holds.
    fn and(&self, other: &Self) -> Option<Self> {
        let mut both = self.clone();
        both.segments.extend(&other.segments);
        for constraint in &other.constraints {
            both.add(constraint.clone())?;
        }
        Some(both)
    }

    /// Adds a constraint, joined with others on its field where they can be one.
    fn add(&mut self, mut added: Constraint) -> Option<()> {
        if is_in(&added) {
            let mut values = added.values.take().unwrap_or_default();
            self.constraints.retain(|other| {
                let same = other.context_name == added.context_name;
                if same && (is_in(other) || is_not_in(other)) {
                    let listed: HashSet<&str> = other.values.iter().flatten().map(String::as_str).collect();
                    values.retain(|value| listed.contains(&**value) == is_in(other));
                    return false;
                }
                !(same && is_presence(other))
            });
            if values.is_empty() {
                return None;
            }
            added.values = Some(values);
            self.constraints.push(added);
            return Some(());
        }
        if is_not_in(&added) {
            let place = self
                .constraints
                .iter()
                .position(|other| other.context_name == added.context_name && (is_in(other) || is_not_in(other)));
            let Some(place) = place else {
                self.constraints.push(added);
                return Some(());
            };
            let inside = is_in(&self.constraints[place]);
            let values = self.constraints[place].values.get_or_insert_default();
            let excluded = added.values.unwrap_or_default();
            if inside {
                let excluded: HashSet<String> = excluded.into_iter().collect();
                values.retain(|value| !excluded.contains(value));
                return (!values.is_empty()).then_some(());
            }
            let held: HashSet<String> = values.iter().cloned().collect();
            values.extend(excluded.into_iter().filter(|value| !held.contains(value)));
            return Some(());
        }
        if self.constraints.iter().any(|other| opposite(other, &added)) {
            return None;
        }
        let implied = is_presence(&added)
            && self.constraints.iter().any(|other| other.context_name == added.context_name && needs_presence(other));
        if implied || self.constraints.contains(&added) {
            return Some(());
        }
        if needs_presence(&added) {
            self.constraints.retain(|other| other.context_name != added.context_name || !is_presence(other));
        }
        self.constraints.push(added);
        Some(())
    }

    /// Whether it holds wherever the other does, as far as can be seen.
    fn covers(&self, other: &Self) -> bool {
        self.segments.is_subset(&other.segments)
            && self.constraints.iter().all(|constraint| other.constraints.contains(constraint))
    }

    /// This or the other as one term, where they differ in the values of one field only.
    fn or(&self, other: &Self) -> Option<Self> {
        if self.segments != other.segments || self.constraints.len() != other.constraints.len() {
            return None;
        }
        let mut apart = None;
        for (place, constraint) in self.constraints.iter().enumerate() {
            if other.constraints.contains(constraint) {
                continue;
            }
            if apart.replace(place).is_some() {
                return None;
            }
        }
        let place = apart?;
        let mine = &self.constraints[place];
        let theirs = other.constraints.iter().find(|constraint| !self.constraints.contains(constraint))?;
        let joins =
            |constraint: &Constraint| is_in(constraint) || (!is_inverted(constraint) && is_text(constraint.operator));
        let alike = mine.context_name == theirs.context_name
            && mine.operator == theirs.operator
            && mine.case_insensitive == theirs.case_insensitive;
        if !(alike && joins(mine) && joins(theirs)) {
            return None;
        }
        let mut joined = self.clone();
        let values = joined.constraints[place].values.get_or_insert_default();
        let held: HashSet<String> = values.iter().cloned().collect();
        values.extend(theirs.values.iter().flatten().filter(|value| !held.contains(*value)).cloned());
        Some(joined)
    }
}

impl Sum {
    pub(super) fn of(terms: impl IntoIterator<Item = Term>) -> Self {
        Self(terms.into_iter().collect())
    }

    /// Size: the cost of work with it.
    pub(super) fn size(&self) -> usize {
        let of_term = |term: &Term| {
            1 + term.constraints.iter().map(|constraint| 1 + constraint.count_values() / 8).sum::<usize>()
        };
        1 + self.0.iter().map(of_term).sum::<usize>()
    }

    fn push(&mut self, term: Term) -> Result<(), Unsupported> {
        if self.0.iter().any(|held| held.covers(&term)) {
            return Ok(());
        }
        self.0.retain(|held| !term.covers(held));
        match self.0.iter().enumerate().find_map(|(place, held)| Some((place, held.or(&term)?))) {
            Some((place, joined)) => self.0[place] = joined,
            None => self.0.push(term),
        }
        if self.0.len() > MOST_TERMS
            || self.0.iter().map(|term| term.constraints.len()).sum::<usize>() > MOST_CONSTRAINTS
        {
            return Err("its conditions have too many combinations".to_owned());
        }
        Ok(())
    }

    /// Returns the conjunction of both.
    pub(super) fn and(&self, other: &Self) -> Result<Self, Unsupported> {
        let mut both = Self::default();
        for (one, two) in self.0.iter().flat_map(|one| other.0.iter().map(move |two| (one, two))) {
            if let Some(term) = one.and(two) {
                both.push(term)?;
            }
        }
        Ok(both)
    }
}

impl Answer {
    pub(super) fn everybody() -> Self {
        Self { sum: Sum(vec![Term::default()]), exact: true }
    }

    pub(super) const fn nobody() -> Self {
        Self { sum: Sum(Vec::new()), exact: true }
    }

    /// Returns the answer that all the constraints hold.
    pub(super) fn all(constraints: impl IntoIterator<Item = Constraint>, exact: bool) -> Self {
        let mut term = Term::default();
        for constraint in constraints {
            if term.add(constraint).is_none() {
                return Self { sum: Sum::default(), exact };
            }
        }
        Self { sum: Sum(vec![term]), exact }
    }

    pub(super) fn and(&self, other: &Self) -> Result<Self, Unsupported> {
        Ok(Self { sum: self.sum.and(&other.sum)?, exact: self.exact && other.exact })
    }

    pub(super) fn or(mut self, other: Self) -> Result<Self, Unsupported> {
        for term in other.sum.0 {
            self.sum.push(term)?;
        }
        self.exact &= other.exact;
        Ok(self)
    }
}

fn is_inverted(constraint: &Constraint) -> bool {
    constraint.inverted == Some(true)
}

fn is_in(constraint: &Constraint) -> bool {
    constraint.operator == Operator::In && !is_inverted(constraint)
}

fn is_not_in(constraint: &Constraint) -> bool {
    constraint.operator == Operator::NotIn && !is_inverted(constraint)
}

const fn is_text(operator: Operator) -> bool {
    matches!(operator, Operator::StrContains | Operator::StrStartsWith | Operator::StrEndsWith)
}

/// Whether it says no more than that the field is there.
fn is_presence(constraint: &Constraint) -> bool {
    constraint.operator == Operator::Regex
        && !is_inverted(constraint)
        && constraint.value.as_deref() == Some(super::comparison::ANYTHING)
}

/// Whether it can only hold where the field is there.
fn needs_presence(constraint: &Constraint) -> bool {
    !is_inverted(constraint) && constraint.operator != Operator::NotIn && !is_presence(constraint)
}

/// Whether one is the other inverted.
fn opposite(one: &Constraint, other: &Constraint) -> bool {
    is_inverted(one) != is_inverted(other)
        && one.context_name == other.context_name
        && one.operator == other.operator
        && one.case_insensitive == other.case_insensitive
        && one.values == other.values
        && one.value == other.value
}
