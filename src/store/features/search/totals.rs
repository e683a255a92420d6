//! Numbers of features that match, counted once for each state of the log: every change that a filter could notice
//! leaves an event there, so that as long as no event comes, no total changes.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, Statement,
    sea_query::{Expr, Query},
};

use crate::{StoreError, db::remembered::Remembered, entity::event};

/// Bytes of totals, and of the statements that count them.
const MOST_BYTES: usize = 1 << 20;

/// Cache of counted totals.
#[derive(Debug)]
pub struct Totals(Remembered<Counted>);

impl Default for Totals {
    fn default() -> Self {
        Self(Remembered::new(MOST_BYTES))
    }
}

/// Numbers of features, and the state in which they were counted.
#[derive(Debug, Clone)]
pub(super) struct Counted {
    /// Matches in each part of the answer, or in all parts together.
    pub(super) sizes: Vec<u64>,
    /// Id of the newest event at that time; 0 for an empty log.
    newest: i64,
}

/// A statement that counts, and its text with all values, by which its answer is known.
#[derive(Debug)]
pub(super) struct Question {
    statement: Statement,
    text: String,
}

impl From<Statement> for Question {
    fn from(statement: Statement) -> Self {
        Self { text: statement.to_string(), statement }
    }
}

impl Counted {
    pub(super) fn total(&self) -> u64 {
        self.sizes.iter().sum()
    }
}

/// The id of the newest event, as a column.
pub(super) fn newest_event() -> Expr {
    Query::select().expr(event::Column::Id.max()).from(event::Entity).to_owned().into()
}

impl Totals {
    /// Returns the number of features that matched when they were last counted, whatever happened since.
    pub(super) fn last(&self, question: &Question) -> Option<u64> {
        self.0.find(&question.text).map(|counted| counted.total())
    }

    /// Returns the numbers of features that match. What was counted when `newest` was the newest event is not counted
    /// again.
    pub(super) async fn of(
        &self,
        db: &impl ConnectionTrait,
        question: &Question,
        newest: Option<i64>,
    ) -> Result<Counted, StoreError> {
        let known = self.0.find(&question.text).filter(|known| newest == Some(known.newest));
        if let Some(known) = known {
            return Ok(known);
        }
        let row =
            db.query_one_raw(question.statement.clone()).await?.ok_or(DbErr::RecordNotFound("count".to_owned()))?;
        let parts = row.column_names().len() - 1;
        let size = |index: usize| Ok(row.try_get_by_index::<i64>(index)?.try_into().unwrap_or(0));
        let sizes = (0..parts).map(size).collect::<Result<_, DbErr>>()?;
        let newest = row.try_get_by_index::<Option<i64>>(parts)?.unwrap_or_default();
        let counted = Counted { sizes, newest };
        self.0.keep(question.text.clone(), counted.clone(), size_of_val(&*counted.sizes));
        Ok(counted)
    }
}
