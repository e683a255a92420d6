//! The tokens that were looked up, until something about tokens changes.

use std::{
    collections::HashMap,
    sync::{Arc, RwLock},
};

use flagstone_domain::token::ClientToken;

/// Edition of the book with which a look-up began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edition(u64);

#[derive(Debug, Default)]
struct Pages {
    edition: u64,
    by_digest: HashMap<String, Arc<ClientToken>>,
}

/// Tokens by the digest of their secrets. Unknown secrets are not in it, so it never outgrows the table.
#[derive(Debug, Default)]
pub(super) struct TokenBook(RwLock<Pages>);

impl TokenBook {
    /// Returns the token, if it is known, and the edition to give when it has been looked up in the database.
    pub(super) fn find(&self, digest: &str) -> (Option<Arc<ClientToken>>, Edition) {
        let pages = self.0.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        (pages.by_digest.get(digest).cloned(), Edition(pages.edition))
    }

    /// Keeps a token, unless something has changed since it was looked up.
    pub(super) fn keep(&self, digest: &str, token: Arc<ClientToken>, looked_up_with: Edition) {
        let mut pages = self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        if pages.edition == looked_up_with.0 {
            pages.by_digest.insert(digest.to_owned(), token);
        }
    }

    /// Forgets every token.
    pub(super) fn forget(&self) {
        let mut pages = self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        pages.edition += 1;
        pages.by_digest = HashMap::new();
    }
}

#[cfg(test)]
mod tests {
    use flagstone_domain::{secret::TokenKind, token::Reach};

    use super::*;

    #[test]
    fn a_token_that_was_looked_up_before_a_change_is_not_kept_after_it() {
        let book = TokenBook::default();
        let token = || {
            let reach = Reach { kind: TokenKind::Client, projects: vec![], environment: String::new() };
            Arc::new(ClientToken { id: 1, name: String::new(), reach, expires_at: None })
        };
        let (_, edition) = book.find("a");
        book.keep("a", token(), edition);
        assert!(book.find("a").0.is_some());
        let (_, edition) = book.find("b");
        book.forget();
        book.keep("b", token(), edition);
        assert!(book.find("a").0.is_none() && book.find("b").0.is_none());
    }
}
