//! The tokens that an edge knows: by the digests of their secrets, with the secrets of those that it was shown.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, RwLock,
        atomic::{AtomicI64, Ordering},
    },
};

use flagstone_domain::{
    opaque_debug,
    secret::{self, ShownSecret, TokenKind, TokenScope},
    token::{ALL, ClientToken, Reach},
};
use quick_cache::sync::Cache;
use tokio::time::{Duration, Instant};

/// Tokens that are kept.
const KEPT: usize = 10_000;
/// Refusals that are remembered.
const REFUSALS: usize = 10_000;
/// Time for which a refusal, or that there was no answer, is remembered.
pub(super) const REMEMBERED: Duration = Duration::from_mins(1);

/// A valid token.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) token: Arc<ClientToken>,
    /// Its secret, once a program has shown it. Never printed, and never written anywhere.
    secret: Option<Secret>,
    /// Whether the operator vouches for it, so that the upstream is not asked.
    pub(super) is_trusted: bool,
    /// Whether the upstream has said since the start that it serves.
    pub(super) is_confirmed: bool,
}

/// A secret that is not printed.
#[derive(Clone)]
pub(super) struct Secret(pub(super) Arc<str>);

opaque_debug!(Secret);

/// Kind of failure of a token that does not serve, and its time.
#[derive(Debug, Clone, Copy)]
enum Refusal {
    /// The upstream refused it.
    Refused(Instant),
    /// The upstream could not answer.
    Unanswered(Instant),
}

/// Cached knowledge about a token.
#[derive(Debug, Clone)]
pub(super) enum Known {
    /// The token serves.
    Serves(Entry),
    /// The token was refused lately.
    Refused,
    /// The upstream could not answer lately.
    Unanswered,
    /// The token is not known.
    Nothing,
}

impl Known {
    /// Whether the upstream is to be asked.
    pub(super) const fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

/// A token as it is kept on disk.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Remembered {
    pub(super) digest: String,
    pub(super) kind: String,
    pub(super) projects: Vec<String>,
    pub(super) environment: String,
}

/// The tokens, within bounds.
#[derive(Debug)]
pub(super) struct TokenCache {
    entries: RwLock<HashMap<String, Entry>>,
    refusals: Cache<String, Refusal>,
    /// Digests by the numbers that identify tokens in memory.
    numbers: RwLock<HashMap<i64, String>>,
    next: AtomicI64,
}

impl Default for TokenCache {
    fn default() -> Self {
        Self {
            entries: RwLock::default(),
            refusals: Cache::new(REFUSALS),
            numbers: RwLock::default(),
            next: AtomicI64::new(1),
        }
    }
}

fn held<T>(lock: std::sync::LockResult<T>) -> T {
    lock.unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl TokenCache {
    /// Looks up the token with this digest. A secret that is shown is kept with it.
    pub(super) fn look_up(&self, digest: &str, shown: Option<&str>) -> Known {
        let found = held(self.entries.read()).get(digest).cloned();
        if let Some(mut entry) = found {
            if entry.secret.is_none()
                && let Some(shown) = shown
            {
                let secret = Secret(shown.into());
                entry.secret = Some(secret.clone());
                if let Some(kept) = held(self.entries.write()).get_mut(digest) {
                    kept.secret = Some(secret);
                }
            }
            return Known::Serves(entry);
        }
        match self.refusals.get(digest) {
            Some(Refusal::Refused(at)) if at.elapsed() < REMEMBERED => Known::Refused,
            Some(Refusal::Unanswered(at)) if at.elapsed() < REMEMBERED => Known::Unanswered,
            _ => Known::Nothing,
        }
    }

    /// Keeps the judgement of the upstream on a token; `None` that it does not serve. Returns whether anything is other
    /// than before.
    pub(super) fn record(&self, shown: ShownSecret<'_>, reach: Option<Reach>) -> bool {
        let ShownSecret { full_secret, digest } = shown;
        let Some(reach) = reach else {
            self.refusals.insert(digest.to_owned(), Refusal::Refused(Instant::now()));
            let mut entries = held(self.entries.write());
            let was_kept = entries.get(digest).is_some_and(|entry| !entry.is_trusted);
            if was_kept && let Some(gone) = entries.remove(digest) {
                held(self.numbers.write()).remove(&gone.token.id);
            }
            return was_kept;
        };
        self.refusals.remove(digest);
        self.keep(digest, Some(Secret(full_secret.into())), reach, false, true)
    }

    /// Whether the token with this digest was refused lately.
    pub(super) fn is_refused(&self, digest: &str) -> bool {
        matches!(self.refusals.get(digest), Some(Refusal::Refused(_)))
    }

    /// Whether the upstream may be asked about a token: not within a minute of the last time.
    pub(super) fn may_ask(&self, digest: &str) -> bool {
        match self.refusals.get(digest) {
            Some(Refusal::Refused(at) | Refusal::Unanswered(at)) => at.elapsed() >= REMEMBERED,
            None => true,
        }
    }

    /// Remembers that the upstream could not answer whether the token serves.
    pub(super) fn record_unanswered(&self, digest: &str) {
        self.refusals.insert(digest.to_owned(), Refusal::Unanswered(Instant::now()));
    }

    /// Keeps a token for which the operator vouches.
    pub(super) fn trust(&self, full_secret: &str, reach: Reach) {
        self.keep(&secret::digest(full_secret), Some(Secret(full_secret.into())), reach, true, true);
    }

    /// Keeps a token from before the start.
    pub(super) fn recall(&self, remembered: Remembered) {
        let Some(kind) = TokenKind::parse(&remembered.kind) else { return };
        let reach = Reach { kind, projects: remembered.projects, environment: remembered.environment };
        self.keep(&remembered.digest, None, reach, false, false);
    }

    fn keep(&self, digest: &str, secret: Option<Secret>, reach: Reach, is_trusted: bool, is_confirmed: bool) -> bool {
        let mut entries = held(self.entries.write());
        if let Some(known) = entries.get_mut(digest) {
            known.is_confirmed |= is_confirmed;
            known.secret = secret.or_else(|| known.secret.take());
            let is_other = known.token.reach != reach;
            if is_other {
                known.token = Arc::new(ClientToken { reach, ..ClientToken::clone(&known.token) });
            }
            return is_other;
        }
        if entries.len() >= KEPT {
            // One that the operator does not vouch for makes room.
            let Some(other) = entries.iter().find(|(_, entry)| !entry.is_trusted).map(|(digest, _)| digest.clone())
            else {
                return false;
            };
            if let Some(gone) = entries.remove(&other) {
                held(self.numbers.write()).remove(&gone.token.id);
            }
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let name = secret.as_ref().map_or_else(|| "…".to_owned(), |secret| secret::shown(&secret.0));
        let token = Arc::new(ClientToken { id, name, reach, expires_at: None });
        held(self.numbers.write()).insert(id, digest.to_owned());
        entries.insert(digest.to_owned(), Entry { token, secret, is_trusted, is_confirmed });
        true
    }

    /// The secrets of tokens that the upstream can be asked about, with their digests.
    pub(super) fn questions(&self) -> Vec<(String, String)> {
        let entries = held(self.entries.read());
        let asked = entries.iter().filter(|(_, entry)| !entry.is_trusted);
        asked.filter_map(|(digest, entry)| Some((digest.clone(), entry.secret.as_ref()?.0.to_string()))).collect()
    }

    /// The client tokens with a known secret, by which features can be fetched.
    pub(super) fn fetching(&self) -> Vec<(String, Secret, Reach)> {
        let entries = held(self.entries.read());
        let clients = entries.iter().filter(|(_, entry)| entry.token.reach.kind == TokenKind::Client);
        clients
            .filter(|(_, entry)| entry.is_confirmed && !entry.is_trusted)
            .filter_map(|(digest, entry)| Some((digest.clone(), entry.secret.clone()?, entry.token.reach.clone())))
            .collect()
    }

    /// The tokens as they are kept on disk, in the order of their digests. Those that the operator names each time are
    /// not among them.
    pub(super) fn to_keep(&self) -> Vec<Remembered> {
        let entries = held(self.entries.read());
        let mut kept: Vec<Remembered> = entries
            .iter()
            .filter(|(_, entry)| !entry.is_trusted)
            .map(|(digest, entry)| Remembered {
                digest: digest.clone(),
                kind: entry.token.reach.kind.as_str().to_owned(),
                projects: entry.token.reach.projects.clone(),
                environment: entry.token.reach.environment.clone(),
            })
            .collect();
        kept.sort_by(|one, other| one.digest.cmp(&other.digest));
        kept
    }

    /// Returns the digests of tokens by their numbers.
    pub(super) fn digests(&self, ids: impl IntoIterator<Item = i64>) -> Vec<String> {
        let numbers = held(self.numbers.read());
        ids.into_iter().filter_map(|id| numbers.get(&id).cloned()).collect()
    }

    /// Returns the numbers of tokens by their digests; one that another edge serves gets a number, too.
    pub(super) fn numbers_of(&self, digests: &[String]) -> Vec<i64> {
        let entries = held(self.entries.read());
        let mut numbers = held(self.numbers.write());
        let elsewhere: HashMap<String, i64> = numbers.iter().map(|(id, digest)| (digest.clone(), *id)).collect();
        let wanted: HashSet<&String> = digests.iter().collect();
        wanted
            .into_iter()
            .filter_map(|digest| {
                let known = entries.get(digest).map(|entry| entry.token.id).or_else(|| elsewhere.get(digest).copied());
                known.or_else(|| {
                    (numbers.len() < 2 * KEPT).then(|| {
                        let id = self.next.fetch_add(1, Ordering::Relaxed);
                        numbers.insert(id, digest.clone());
                        id
                    })
                })
            })
            .collect()
    }

    /// Numbers of the tokens that are kept and of the refusals that are remembered.
    pub(super) fn sizes(&self) -> (usize, usize) {
        (held(self.entries.read()).len(), self.refusals.len())
    }

    /// The tokens as they may be shown, with what they serve for.
    pub(super) fn listed(&self) -> Vec<(String, Reach, bool)> {
        let entries = held(self.entries.read());
        let mut listed: Vec<_> = entries
            .values()
            .map(|entry| (entry.token.name.clone(), entry.token.reach.clone(), entry.is_confirmed))
            .collect();
        listed.sort_by(|one, other| one.0.cmp(&other.0));
        listed
    }
}

/// Reads a token for which the operator vouches, and returns its secret and its reach: a token in the usual form, or
/// any text followed by `@` and an environment. The error says what is wrong, and not the token.
pub fn trusted(text: &str, kind: TokenKind) -> Result<(String, Reach), String> {
    let (full_secret, scope) = match (TokenScope::parse(text), text.rsplit_once('@')) {
        (Some(scope), _) => (text, scope),
        (None, Some((full_secret, environment))) if !full_secret.is_empty() && !environment.is_empty() => {
            (full_secret, TokenScope { projects: vec![ALL.to_owned()], environment: environment.to_owned() })
        }
        _ => return Err("must have the form project:environment.secret or secret@environment".to_owned()),
    };
    // One that says only "several" does not say which.
    let projects = if scope.projects.is_empty() { vec![ALL.to_owned()] } else { scope.projects };
    Ok((full_secret.to_owned(), Reach { kind, projects, environment: scope.environment }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(environment: &str) -> Reach {
        Reach { kind: TokenKind::Client, projects: vec!["p".to_owned()], environment: environment.to_owned() }
    }

    const fn shown<'a>(digest: &'a str, full_secret: &'a str) -> ShownSecret<'a> {
        ShownSecret { full_secret, digest }
    }

    #[tokio::test(start_paused = true)]
    async fn refusals_are_remembered_for_a_minute_and_bounded() {
        let cache = TokenCache::default();
        assert!(!cache.record(shown("d", "s"), None));
        assert!(matches!(cache.look_up("d", None), Known::Refused));
        tokio::time::advance(REMEMBERED).await;
        assert!(matches!(cache.look_up("d", None), Known::Nothing));
        for number in 0..REFUSALS * 3 {
            cache.record_unanswered(&number.to_string());
        }
        assert!(cache.sizes().1 <= REFUSALS);
    }

    #[test]
    fn the_disk_sees_no_secret_and_gives_back_what_serves() {
        let cache = TokenCache::default();
        assert!(cache.record(shown("digest", "p:e.secret-itself"), Some(reach("e"))));
        assert!(!cache.record(shown("digest", "p:e.secret-itself"), Some(reach("e"))), "nothing is new");
        cache.trust("q:e.vouched-for", reach("e"));
        let kept = cache.to_keep();
        assert!(!format!("{kept:?} {cache:?}").contains("itself"), "no secret");
        assert_eq!(kept.len(), 1, "the operator says the other each time");
        let later = TokenCache::default();
        for one in kept {
            later.recall(one);
        }
        assert!(later.questions().is_empty(), "nobody has shown it yet");
        let Known::Serves(entry) = later.look_up("digest", Some("p:e.secret-itself")) else { panic!("serves") };
        assert!(!entry.is_confirmed);
        assert_eq!(later.questions(), [("digest".to_owned(), "p:e.secret-itself".to_owned())]);
        assert!(later.record(shown("digest", "p:e.secret-itself"), None), "revoked");
        assert!(matches!(later.look_up("digest", None), Known::Refused));
    }

    #[test]
    fn numbers_stand_for_tokens_here_and_behind_other_edges() {
        let cache = TokenCache::default();
        cache.record(shown("here", "p:e.x"), Some(reach("e")));
        let numbers = cache.numbers_of(&["here".to_owned(), "elsewhere".to_owned()]);
        let mut digests = cache.digests(numbers.clone());
        digests.sort();
        assert_eq!(digests, ["elsewhere", "here"]);
        let mut again = cache.numbers_of(&["elsewhere".to_owned(), "here".to_owned()]);
        again.sort_unstable();
        let mut numbers = numbers;
        numbers.sort_unstable();
        assert_eq!(again, numbers);
    }

    #[test]
    fn trusted_tokens_say_their_environment() {
        let (secret, reach) = trusted("some-secret@dev", TokenKind::Frontend).expect("a token");
        assert_eq!((&*secret, &*reach.environment, &*reach.projects.join(",")), ("some-secret", "dev", "*"));
        let (secret, reach) = trusted("p:e.x@y", TokenKind::Client).expect("a token");
        assert_eq!((&*secret, &*reach.environment), ("p:e.x@y", "e"));
        for broken in ["", "secret", "@dev", "secret@"] {
            assert!(trusted(broken, TokenKind::Client).is_err(), "{broken}");
        }
    }
}
