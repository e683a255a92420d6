//! Entries that are left out of a report, so that one bad entry does not cost the others.

/// Maximum number of characters that are shown of the first.
const LONGEST: usize = 300;

/// Entries that were left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Number of entries.
    pub count: u64,
    /// Place and fault of the first, without its content.
    pub first: Option<String>,
}

impl LeftOut {
    /// Counts one more.
    pub fn note(&mut self, words: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(|| words().chars().take(LONGEST).collect());
    }

    /// Counts those of another, too.
    pub fn add(&mut self, other: Self) {
        self.count += other.count;
        self.first = self.first.take().or(other.first);
    }

    /// Returns the number and the first in words, or `None` when there are none.
    pub fn words(&self) -> Option<String> {
        let first = self.first.as_deref().unwrap_or_default();
        (self.count > 0).then(|| format!("{}, first: {first}", self.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_told_and_all_are_counted() {
        let mut left_out = LeftOut::default();
        assert_eq!(left_out.words(), None);
        left_out.note(|| "a".repeat(1000));
        left_out.note(|| "b".to_owned());
        let mut sum = LeftOut::default();
        sum.add(left_out);
        sum.add(LeftOut { count: 3, first: Some("c".to_owned()) });
        assert_eq!(sum.words(), Some(format!("5, first: {}", "a".repeat(LONGEST))));
    }
}
