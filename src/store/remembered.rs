//! What was found before, for when the same is asked again.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Answers by the question. Each says itself of what it is true.
///
/// They take a bounded part of the memory: when there are too many, all are forgotten.
#[derive(Debug)]
pub(super) struct Remembered<T> {
    most_bytes: usize,
    held: Mutex<Held<T>>,
}

#[derive(Debug)]
struct Held<T> {
    answers: HashMap<String, (T, usize)>,
    bytes: usize,
}

impl<T: Clone> Remembered<T> {
    /// For so many bytes of questions and answers.
    pub(super) fn new(most_bytes: usize) -> Self {
        Self { most_bytes, held: Mutex::new(Held { answers: HashMap::new(), bytes: 0 }) }
    }

    pub(super) fn find(&self, question: &str) -> Option<T> {
        self.lock().answers.get(question).map(|(answer, _)| answer.clone())
    }

    /// Keeps an answer of so many bytes, unless that and the question would take a great part of all there is room for.
    pub(super) fn keep(&self, question: String, answer: T, bytes: usize) {
        let bytes = bytes + question.len() + size_of::<(String, T, usize)>();
        if bytes > self.most_bytes / 4 {
            return;
        }
        let mut held = self.lock();
        if let Some((_, bytes)) = held.answers.remove(&question) {
            held.bytes -= bytes;
        }
        if held.bytes + bytes > self.most_bytes {
            held.answers.clear();
            held.bytes = 0;
        }
        held.bytes += bytes;
        held.answers.insert(question, (answer, bytes));
    }

    fn lock(&self) -> MutexGuard<'_, Held<T>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST_BYTES: usize = 10_000;

    /// How many are kept, and their bytes.
    fn room(answers: &Remembered<i32>) -> (usize, usize) {
        let held = answers.lock();
        (held.answers.len(), held.bytes)
    }

    #[test]
    fn answers_take_no_more_room_than_there_is_and_a_great_one_is_not_kept() {
        let answers = Remembered::new(MOST_BYTES);
        answers.keep("q".repeat(MOST_BYTES / 4), 1, 0);
        answers.keep("great".to_owned(), 1, MOST_BYTES / 4);
        assert_eq!(room(&answers), (0, 0));
        for number in 0..1000 {
            answers.keep(number.to_string(), number, 100);
            assert_eq!(answers.find(&number.to_string()), Some(number));
        }
        let (kept, bytes) = room(&answers);
        assert!(kept > 10 && kept < MOST_BYTES / 100 && bytes <= MOST_BYTES, "{kept} of {bytes} bytes");
    }

    #[test]
    fn a_later_answer_takes_the_place_of_an_earlier_one() {
        let answers = Remembered::new(MOST_BYTES);
        answers.keep("q".to_owned(), 1, 100);
        let once = room(&answers);
        answers.keep("q".to_owned(), 2, 100);
        assert_eq!((answers.find("q"), room(&answers)), (Some(2), once));
    }
}
