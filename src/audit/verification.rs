//! Whether the log holds, and if not, from which event on.

use std::collections::HashSet;

use flagstone_domain::{
    change_request::proof::{Findings, Proof},
    event_chain::{
        Fault, FaultKind, Known, Link, Verifier,
        checkpoint::{Checkpoint, Statement},
    },
    time::{HOUR_MS, Timestamp},
};
use flagstone_store::{
    StoreError,
    db::Db,
    events::{chain, checkpoints},
};
use flagstone_vault::{Vault, signing};
use tokio::task::spawn_blocking;

/// Events that are read at a time.
const BATCH: u64 = 500;
/// Checkpoints of the database that are looked at, the last ones: each covers all before it.
const CHECKPOINTS: u64 = 10_000;
/// Longest time for which an event may be without a hash where none has one: servers give them within a second.
const HASHED_WITHIN_MS: i64 = HOUR_MS;

/// Public keys whose signatures count. Without a key every valid signature counts.
#[derive(Debug, Clone, Default)]
pub struct Trust(Vec<String>);

/// Validity of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Worth {
    Counts,
    /// Signed by a key that is not known here.
    Unknown,
    Forged,
}

impl Trust {
    /// The keys of a server.
    pub fn in_vault(vault: &Vault) -> Self {
        Self(vault.public_keys())
    }

    /// Adds a public key, in base64.
    pub fn and(mut self, public_key: &str) -> Result<Self, &'static str> {
        if !signing::is_public_key(public_key) {
            return Err("a public key is 32 bytes in base64");
        }
        self.0.push(public_key.to_owned());
        Ok(self)
    }

    /// Whether it has a key.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn judge(&self, checkpoint: &Checkpoint) -> (Worth, Option<Statement>) {
        let Some(statement) = checkpoint.statement() else { return (Worth::Forged, None) };
        let worth = if !signing::is_signed(&checkpoint.public_key, &statement.text(), &checkpoint.signature) {
            Worth::Forged
        } else if self.is_empty() || self.0.contains(&checkpoint.public_key) {
            Worth::Counts
        } else {
            Worth::Unknown
        };
        (worth, Some(statement))
    }
}

/// Range of events to verify.
#[derive(Debug, Clone, Copy)]
pub struct Scope {
    /// Events after this one; the hash that it has is taken for true.
    pub since: i64,
    /// Events up to this one.
    pub up_to: i64,
    /// Most events.
    pub limit: u64,
}

impl Default for Scope {
    fn default() -> Self {
        Self { since: 0, up_to: i64::MAX, limit: u64::MAX }
    }
}

/// Result of a verification.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The first place that does not hold.
    pub fault: Option<Fault>,
    /// Events that hold, from the first on.
    pub verified: u64,
    /// The place behind which it began.
    pub from: Link,
    /// The last place that holds.
    pub at: Link,
    /// The end of the chain.
    pub head: Link,
    /// Whether it came to the end of what was asked for.
    pub is_complete: bool,
    /// Checkpoints that agree, by keys that count.
    pub confirmed: u64,
    /// Checkpoints by keys that are not known, which prove nothing.
    pub unknown: u64,
    /// Checkpoint at the beginning of the log, if events were removed from it by rule.
    pub beginning: Option<Checkpoint>,
    /// Applied change requests among the events that hold, and whether their approvals prove them.
    pub applications: Findings,
    /// The first event behind the end of the chain, and when it happened.
    first_without_hash: Option<(i64, Timestamp)>,
}

impl Verdict {
    /// The first place that does not hold at `now`: where no event has a hash, although the server gives them within a
    /// second, that is one, too.
    pub fn fault_at(&self, now: Timestamp) -> Option<Fault> {
        let is_bare = self.verified == 0 && self.head == Link::BEGINNING;
        let late = self.first_without_hash.filter(|first| is_bare && first.1.plus_millis(HASHED_WITHIN_MS) < now);
        let unhashed = late.map(|(event_id, _)| Fault { event_id, kind: FaultKind::Unhashed, checkpoint: None });
        self.fault.or(unhashed)
    }
}

/// Follows the chain. Checkpoints of the database, of events in the log, and `given` ones count.
pub async fn verify(db: &Db, trust: &Trust, given: &[Checkpoint], scope: Scope) -> Result<Verdict, StoreError> {
    let beginning = checkpoints::beginning(db).await?;
    let begins = beginning.as_ref().map_or(Link::BEGINNING, |(link, _)| *link);
    let from = chain::place(db, scope.since).await?.filter(|place| place.event_id > begins.event_id).unwrap_or(begins);
    let mut verifier = Verifier::new(from);
    let (mut unknown, mut forged) = (0, None::<Fault>);
    // Before the end of the chain is looked for, so that none is about what comes after.
    let stored = checkpoints::from(db, from.event_id, CHECKPOINTS).await?;
    let told = checkpoints::told(db, from.event_id, CHECKPOINTS).await?;
    let mut looked_at = HashSet::new();
    for checkpoint in stored.iter().chain(&told).chain(given) {
        if !looked_at.insert((checkpoint.event_id, &checkpoint.hash, &checkpoint.public_key, &checkpoint.signature)) {
            continue;
        }
        match trust.judge(checkpoint) {
            (Worth::Counts, Some(statement)) if statement.event_id <= scope.up_to => {
                let known = Known { hash: statement.hash, since: statement.created_at };
                verifier.knows(statement.event_id, known);
            }
            (Worth::Forged, _) if forged.is_none_or(|fault| checkpoint.event_id < fault.event_id) => {
                forged = Some(not_signed(checkpoint));
            }
            (Worth::Unknown, _) => unknown += 1,
            _ => {}
        }
    }
    let head = chain::head(db).await?;
    let up_to = scope.up_to.min(head.event_id);
    let mut verdict = Verdict {
        fault: beginning
            .as_ref()
            .and_then(|(_, checkpoint)| (trust.judge(checkpoint).0 != Worth::Counts).then(|| not_signed(checkpoint))),
        verified: 0,
        from,
        at: from,
        head,
        is_complete: false,
        confirmed: 0,
        unknown,
        beginning: beginning.map(|(_, checkpoint)| checkpoint),
        applications: Findings::default(),
        first_without_hash: chain::first_after(db, head.event_id).await?,
    };
    if verdict.fault.is_none() && from == begins {
        verdict.fault = before_the_beginning(db, begins).await?;
    }
    if verdict.fault.is_some() {
        return Ok(verdict);
    }
    let (verifier, found) = follow(db, verifier, begins, up_to, scope.limit).await?;
    verdict.fault = found.fault.into_iter().chain(forged).min_by_key(|fault| fault.event_id);
    verdict.is_complete = found.is_complete;
    verdict.verified = verifier.verified();
    verdict.confirmed = verifier.confirmed();
    verdict.at = verifier.at();
    verdict.applications = found.applications;
    Ok(verdict)
}

const fn not_signed(checkpoint: &Checkpoint) -> Fault {
    Fault { event_id: checkpoint.event_id, kind: FaultKind::Forged, checkpoint: Some(checkpoint.created_at) }
}

/// The first event before the beginning of the log that does not belong there. Those that are being removed by rule do:
/// they lead up to the beginning.
async fn before_the_beginning(db: &Db, begins: Link) -> Result<Option<Fault>, StoreError> {
    let Some((first, _)) = chain::first_after(db, i64::MIN).await?.filter(|(id, _)| *id <= begins.event_id) else {
        return Ok(None);
    };
    let inserted = Some(Fault { event_id: first, kind: FaultKind::Inserted, checkpoint: None });
    let Some(place) = chain::place(db, first).await?.filter(|place| place.event_id == first && first > 0) else {
        return Ok(inserted);
    };
    let (verifier, found) = follow(db, Verifier::new(place), begins, begins.event_id, u64::MAX).await?;
    let leads_up = verifier.at() == begins || verifier.at().event_id > begins.event_id;
    Ok(found.fault.or(inserted).filter(|_| found.fault.is_some() || !leads_up))
}

struct Found {
    fault: Option<Fault>,
    is_complete: bool,
    applications: Findings,
}

/// Reads page by page; while one is checked, the next is read.
async fn follow(
    db: &Db,
    mut verifier: Verifier,
    begins: Link,
    up_to: i64,
    limit: u64,
) -> Result<(Verifier, Found), StoreError> {
    let mut proof = Proof::begin(verifier.at() == Link::BEGINNING);
    let mut page = chain::page(db, verifier.at().event_id, up_to, BATCH.min(limit)).await?;
    loop {
        let is_last = (page.events.len() as u64) < BATCH;
        let left = limit.saturating_sub(verifier.verified() + page.events.len() as u64);
        let after = page.events.last().map(|event| event.id).filter(|_| !is_last && left > 0);
        let checking = spawn_blocking(move || {
            let checked = verifier.check(&page);
            if checked.is_ok() {
                page.events.iter().for_each(|event| proof.read(event));
            }
            (verifier, proof, checked)
        });
        let next = match after {
            Some(after) => Some(chain::page(db, after, up_to, BATCH.min(left)).await?),
            None => None,
        };
        let checked;
        (verifier, proof, checked) =
            checking.await.map_err(|error| StoreError::external(format!("the check ended early: {error}")))?;
        match (checked, next) {
            (Err(fault), _) => {
                let Some(beginning) = moved_on(db, begins, &fault).await? else {
                    let found = Found { fault: Some(fault), is_complete: false, applications: proof.end() };
                    return Ok((verifier, found));
                };
                verifier.skip_to(beginning);
                proof.skip();
                page = chain::page(db, beginning.event_id, up_to, BATCH).await?;
            }
            (Ok(()), Some(next)) => page = next,
            (Ok(()), None) => {
                let is_complete = verifier.at().event_id >= up_to;
                let fault = if is_complete { verifier.end().err() } else { None };
                return Ok((verifier, Found { fault, is_complete, applications: proof.end() }));
            }
        }
    }
}

/// New beginning of the log, if the event that does not hold was removed by rule meanwhile.
async fn moved_on(db: &Db, begins: Link, fault: &Fault) -> Result<Option<Link>, StoreError> {
    let now = checkpoints::beginning(db).await?.map(|(link, _)| link);
    Ok(now.filter(|now| now.event_id > begins.event_id && now.event_id >= fault.event_id))
}
