//! Hearing of changes on other nodes at once, instead of at the next look.

use std::{sync::atomic::Ordering, time::Duration};

use flagstone_store::{StoreError, db::listening::Listener};

use super::Sdk;

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::sdk::listening";

/// Wait before connecting again; each failure doubles it.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// The longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

impl Sdk {
    /// Looks at the log whenever another node notifies of a change. Ends at once where there are no other nodes, and
    /// otherwise never: a lost connection is made again, and until then the looks of [`Sdk::poll`] have to do.
    pub async fn listen(&self) {
        let mut wait = FIRST_WAIT;
        loop {
            let error = match self.db.listen().await {
                Ok(None) => return,
                Ok(Some(listener)) => {
                    wait = FIRST_WAIT;
                    self.figures.listening.store(true, Ordering::Relaxed);
                    let error = self.heed_others(listener).await;
                    self.figures.listening.store(false, Ordering::Relaxed);
                    error
                }
                Err(error) => error,
            };
            tracing::warn!(target: LOG, %error, ?wait, "LISTEN failed, polling instead");
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    async fn heed_others(&self, mut listener: Listener) -> StoreError {
        loop {
            // Also before the first word: something may have happened while this node did not listen.
            if let Err(error) = self.poll().await {
                tracing::warn!(target: LOG, %error, "cannot read what another node changed");
            }
            if let Err(error) = listener.wait().await {
                return error;
            }
        }
    }
}
