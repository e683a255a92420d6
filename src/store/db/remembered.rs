//! Cache of answers by their questions.

use quick_cache::{
    DefaultHashBuilder, OptionsBuilder, Weighter,
    sync::{Cache, DefaultLifecycle},
};

/// Answers by the question. Each says itself of what it is true.
///
/// They take a bounded part of the memory: when there are too many, those go that are asked for least.
#[derive(Debug)]
pub(crate) struct Remembered<T> {
    most_bytes: usize,
    answers: Cache<String, (T, usize), ByBytes>,
}

/// Counts an answer by its bytes and those of its question.
#[derive(Debug, Clone)]
struct ByBytes;

impl<T> Weighter<String, (T, usize)> for ByBytes {
    fn weight(&self, question: &String, (_, bytes): &(T, usize)) -> u64 {
        (bytes + question.len() + size_of::<(String, T, usize)>()) as u64
    }
}

impl<T: Clone> Remembered<T> {
    /// A cache of so many bytes of questions and answers.
    pub(crate) fn new(most_bytes: usize) -> Self {
        // One part, since an answer may take a quarter of all there is room for.
        let options = OptionsBuilder::new()
            .estimated_items_capacity(100)
            .weight_capacity(most_bytes as u64)
            .shards(1)
            .build()
            .expect("everything that a cache needs is said");
        let answers = Cache::with_options(options, ByBytes, DefaultHashBuilder::default(), DefaultLifecycle::default());
        Self { most_bytes, answers }
    }

    pub(crate) fn find(&self, question: &str) -> Option<T> {
        self.answers.get(question).map(|(answer, _)| answer)
    }

    /// Whether what is kept takes half of the room.
    pub(crate) fn is_half_full(&self) -> bool {
        self.answers.weight() >= (self.most_bytes / 2) as u64
    }

    /// Keeps an answer of so many bytes, unless that and the question would take a great part of all there is room for.
    pub(crate) fn keep(&self, question: String, answer: T, bytes: usize) {
        let answer = (answer, bytes);
        if ByBytes.weight(&question, &answer) <= (self.most_bytes / 4) as u64 {
            self.answers.insert(question, answer);
        } else {
            self.answers.remove(&question);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST_BYTES: usize = 10_000;

    /// Returns the number of kept answers, and their bytes.
    fn room(answers: &Remembered<i32>) -> (usize, u64) {
        (answers.answers.len(), answers.answers.weight())
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
        assert!(kept > 10 && kept < MOST_BYTES / 100 && bytes <= MOST_BYTES as u64, "{kept} of {bytes} bytes");
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
