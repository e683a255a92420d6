//! Notices and questions of the console that people have seen or answered. Their changes leave no event.

use flagstone_config::admit_one_more;
use flagstone_error::Error;
use flagstone_store::{self as store, db::NoEvent, notices::Feedback};

use crate::{Author, Begin, Transaction};

/// Most notices and most answers that are kept for one person.
const MOST_EACH: u64 = 100;

impl Author<'_> {
    /// Marks a notice as seen by a person.
    pub async fn mark_notice_as_seen(self, person: i64, id: &str) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        admit_one_more("notice", store::notices::count_other_splashes(tx, person, id).await?, MOST_EACH)?;
        store::notices::saw(tx, person, id, *now).await?;
        Ok(transaction.tx.commit_without_event(NoEvent::Personal).await?)
    }

    /// Records the answer of a person to a question, in the place of an earlier one.
    pub async fn answer_question(self, person: i64, feedback: &Feedback) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let tx = &transaction.tx;
        let others = store::notices::count_other_feedback(tx, person, &feedback.id).await?;
        admit_one_more("answer", others, MOST_EACH)?;
        store::notices::answer(tx, person, feedback).await?;
        Ok(transaction.tx.commit_without_event(NoEvent::Personal).await?)
    }
}
