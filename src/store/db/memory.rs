//! Cached results of a node.

use tokio::sync::OnceCell;

use crate::store::{access, events, features, features::search, roles::Role};

/// Cached results of one database.
#[derive(Debug, Default)]
pub(in crate::store) struct Memory {
    /// Numbers of events that matched.
    pub(in crate::store) event_totals: events::Totals,
    /// Numbers of features that matched.
    pub(in crate::store) feature_totals: search::Totals,
    /// The features of projects.
    pub(in crate::store) feature_lists: features::Lists,
    /// Holders of credentials.
    pub(in crate::store) holders: access::Holders,
    /// The built-in role that admin tokens have: it cannot be changed.
    pub(in crate::store) admin_role: OnceCell<Role>,
}
