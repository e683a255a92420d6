//! What was counted before, for when the same is asked again.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Answers that are kept; when there are more, all are forgotten.
const KEPT: usize = 512;
/// Bytes of a question whose answer is kept.
const LONGEST: usize = 2048;

/// Answers by the statement that found them, values included. Each says itself of what it is true.
#[derive(Debug)]
pub(super) struct Remembered<T>(Mutex<HashMap<String, T>>);

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Remembered<T> {
    pub(super) fn find(&self, question: &str) -> Option<T> {
        self.lock().get(question).cloned()
    }

    pub(super) fn keep(&self, question: String, answer: T) {
        if question.len() > LONGEST {
            return;
        }
        let mut answers = self.lock();
        if answers.len() >= KEPT && !answers.contains_key(&question) {
            answers.clear();
        }
        answers.insert(question, answer);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_answers_are_kept_and_none_to_a_long_question() {
        let answers = Remembered::default();
        answers.keep("q".repeat(LONGEST + 1), 1);
        assert_eq!(answers.lock().len(), 0);
        for number in 0..KEPT * 2 {
            answers.keep(number.to_string(), number);
        }
        assert!(answers.lock().len() <= KEPT);
        assert_eq!(answers.find(&(KEPT * 2 - 1).to_string()), Some(KEPT * 2 - 1));
    }
}
