//! Cached results of a node.

use tokio::sync::OnceCell;

use crate::{access, events, features, features::search, roles::Role};

/// Cached results of one database.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Numbers of events that matched.
    pub(crate) event_totals: events::Totals,
    /// Numbers of features that matched.
    pub(crate) feature_totals: search::Totals,
    /// The features of projects.
    pub(crate) feature_lists: features::Lists,
    /// Holders of credentials.
    pub(crate) holders: access::Holders,
    /// The built-in role that admin tokens have: it cannot be changed.
    pub(crate) admin_role: OnceCell<Role>,
}
