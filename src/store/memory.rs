//! What a node has found before and may tell again.

use tokio::sync::OnceCell;

use super::{access, events, features, roles::Role, search};

/// Everything that is remembered of one database.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// How many events matched.
    pub(super) event_totals: events::Totals,
    /// How many features matched.
    pub(super) feature_totals: search::Totals,
    /// The features of projects.
    pub(super) feature_lists: features::Lists,
    /// Who holds which credential.
    pub(super) holders: access::Holders,
    /// The built-in role that admin tokens have: nobody can change it.
    pub(super) admin_role: OnceCell<Role>,
}
