//! State on disk, from which an edge serves when it starts while its upstream is away.
//!
//! Files are readable by their owner alone, hold tokens as digests only, and are written as whole drafts before they
//! replace the old ones. One that cannot be read is set aside under a name that says so.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use flagstone_domain::{
    client_feature::{Loaded, Numbering},
    secret::{self, TokenKind},
    time::Timestamp,
    token::{ALL, Reach},
};
use flagstone_files as files;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use tokio::time::{Duration, timeout};
use xxhash_rust::xxh3::xxh3_128;

use super::{
    Edge, document,
    feed::Feed,
    token_cache::{Remembered, Secret},
};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::edge::files";

/// Beginning of the first line of each file, with the number of the format.
const MARK: &str = "flagstone-edge 1";
/// Extension of file names.
const ENDING: &str = ".state";
/// The file with the tokens.
const TOKENS: &str = "tokens.state";
/// The file with those that fetch features, and how old these are.
const FEEDS: &str = "feeds.state";
/// Interval at which it is written when nothing else is.
const AGES: Duration = Duration::from_mins(1);
/// Ending of the name of a file that could not be read.
const SET_ASIDE: &str = "unreadable";
/// Most bytes of a file.
const LIMIT: u64 = 256 << 20;

/// The folder.
#[derive(Debug)]
pub(super) struct Files {
    folder: PathBuf,
    failures: AtomicU64,
}

/// An environment on disk.
#[derive(Serialize, Deserialize)]
struct Kept {
    environment: String,
    revision: i64,
    /// Whether the upstream gave the number.
    is_of_upstream: bool,
    features: Vec<Box<RawValue>>,
    segments: Vec<Box<RawValue>>,
}

/// A token that brought features, by the digest of its secret.
#[derive(Serialize, Deserialize)]
struct KeptFeed {
    environment: String,
    digest: String,
    /// None is all of them.
    projects: Option<Vec<String>>,
    fresh_at: Timestamp,
}

impl Files {
    /// The folder, which is made where there is none. The error says why that cannot be.
    pub(super) fn open(folder: &Path) -> Result<Self, String> {
        let refused = |error: io::Error| format!("BACKUP_FOLDER {}: {error}", folder.display());
        if !folder.is_dir() {
            let mut builder = fs::DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(folder).map_err(refused)?;
        }
        fs::read_dir(folder).map_err(refused)?;
        Ok(Self { folder: folder.to_owned(), failures: AtomicU64::new(0) })
    }

    /// Writes that failed.
    pub(super) fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    fn file_of(environment: &str) -> String {
        format!("environment-{}.state", &secret::digest(environment)[..16])
    }

    pub(super) fn write<T: Serialize>(&self, name: &str, content: &T) -> io::Result<()> {
        let json = serde_json::to_vec(content)?;
        let head = format!("{MARK} {:x} {:032x}\n", json.len(), xxh3_128(&json));
        let beside = self.folder.join(format!("{name}.new"));
        let written = (|| {
            let mut options = fs::OpenOptions::new();
            options.write(true).create(true).truncate(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(&beside)?;
            file.write_all(head.as_bytes())?;
            file.write_all(&json)?;
            file.sync_all()?;
            fs::rename(&beside, self.folder.join(name))
        })();
        if written.is_err() {
            self.failures.fetch_add(1, Ordering::Relaxed);
            // Half a file is of no use to anybody.
            let _ = fs::remove_file(&beside);
        }
        written
    }

    pub(super) fn read<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let path = self.folder.join(name);
        match read(&path) {
            Ok(content) => content,
            Err(reason) => {
                let aside = self.folder.join(format!("{name}.{SET_ASIDE}"));
                let moved = fs::rename(&path, &aside);
                tracing::error!(
                    target: LOG,
                    file = %path.display(),
                    aside = %if moved.is_ok() { aside.display() } else { path.display() },
                    reason,
                    "a file with the state of this edge cannot be read and is set aside"
                );
                None
            }
        }
    }

    /// Removes a file, if there is one.
    pub(super) fn remove(&self, name: &str) {
        match fs::remove_file(self.folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                self.failures.fetch_add(1, Ordering::Relaxed);
                tracing::error!(
                    target: LOG,
                    file = name,
                    %error,
                    "a file with the state of this edge cannot be removed"
                );
            }
            _ => {}
        }
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| name.strip_prefix("environment-").is_some_and(|rest| rest.ends_with(ENDING))).collect()
    }
}

/// Contents of a file; `None` where there is none. The error says what is wrong.
fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, String> {
    let bytes = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        _ => files::read_bounded(path, LIMIT).map_err(|error| error.to_string())?,
    };
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or("it has no first line")?;
    let (head, json) = (String::from_utf8_lossy(&bytes[..end]), &bytes[end + 1..]);
    if head != format!("{MARK} {:x} {:032x}", json.len(), xxh3_128(json)) {
        let is_other = !head.starts_with(MARK);
        return Err(if is_other { "it is of another version" } else { "it is damaged" }.to_owned());
    }
    serde_json::from_slice(json).map(Some).map_err(|error| error.to_string())
}

impl Edge {
    /// Takes up what the disk remembers.
    pub(super) fn recall(&self) {
        let Some(files) = &self.files else { return };
        for token in files.read::<Vec<Remembered>>(TOKENS).unwrap_or_default() {
            self.token_cache.recall(token);
        }
        for name in files.names() {
            let Some(kept) = files.read::<Kept>(&name) else { continue };
            self.recall_environment(kept);
        }
        self.recall_feeds(files.read::<Vec<KeptFeed>>(FEEDS).unwrap_or_default());
    }

    fn recall_environment(&self, kept: Kept) {
        let raw = |list: &[Box<RawValue>]| list.iter().map(|raw| raw.get()).collect::<Vec<_>>().join(",");
        let json = format!("{{\"features\":[{}],\"segments\":[{}]}}", raw(&kept.features), raw(&kept.segments));
        let everything = match document::everything(json.as_bytes()) {
            Ok(everything) => everything,
            Err(reason) => {
                tracing::error!(
                    target: LOG,
                    environment = kept.environment,
                    reason,
                    "the kept features cannot be read"
                );
                return;
            }
        };
        let loaded = Loaded {
            revision: kept.revision,
            numbering: if kept.is_of_upstream { Numbering::Log } else { Numbering::Own },
            features: everything.features,
            only: None,
            segments: everything.segments,
        };
        self.mirror.recall(&kept.environment, loaded);
        let environment = kept.environment;
        tracing::info!(
            target: LOG,
            environment,
            "features are served as the disk remembers them until they are fetched"
        );
    }

    fn recall_feeds(&self, kept: Vec<KeptFeed>) {
        let Some(this) = self.me.upgrade() else { return };
        let named: BTreeMap<String, &String> =
            self.settings.tokens.iter().map(|token| (secret::digest(token), token)).collect();
        for feed in kept.into_iter().filter(|feed| self.mirror.get(&feed.environment).is_some()) {
            let token = named.get(&feed.digest).map_or("", |token| token.as_str());
            let projects = feed.projects.unwrap_or_else(|| vec![ALL.to_owned()]);
            let reach = Reach { kind: TokenKind::Client, projects, environment: feed.environment };
            let secret = Secret(token.into());
            let feed = Feed::new(feed.digest, secret, &reach, self.settings.best_mode, Some(feed.fresh_at));
            self.locked().push(feed);
        }
        // Once all are there: whether one is alone decides about numbers.
        for feed in self.all_feeds().into_iter().filter(|feed| !feed.lacks_secret()) {
            let told = self.number_of(&feed.environment).filter(|_| self.is_alone(&feed));
            this.start(feed, told);
        }
    }

    /// Writes the state to disk soon after it has changed.
    pub(super) async fn keep(&self) {
        loop {
            // In time, ages are other, too.
            let _ = timeout(AGES, self.save.notified()).await;
            self.save_now().await;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    /// Writes what has changed since the last time. What cannot be written is tried again with the next change.
    pub(super) async fn save_now(&self) {
        if self.files.is_none() {
            return;
        }
        let Some(this) = self.me.upgrade() else { return };
        let writing = tokio::task::spawn_blocking(move || this.write_state());
        if let Ok(Err(error)) = writing.await {
            tracing::warn!(
                target: LOG,
                %error,
                "the state of this edge cannot be written to disk; it is served from memory"
            );
        }
    }

    fn write_state(&self) -> io::Result<()> {
        let Some(files) = &self.files else { return Ok(()) };
        files.write(TOKENS, &self.token_cache.to_keep())?;
        files.write(FEEDS, &self.kept_feeds())?;
        let unsaved = self.mirror.take_unsaved();
        let mut outcome = Ok(());
        for name in unsaved {
            let written = match self.kept(&name) {
                Some(kept) => files.write(&Files::file_of(&name), &kept),
                None => match fs::remove_file(files.folder.join(Files::file_of(&name))) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                    _ => Ok(()),
                },
            };
            if let Err(error) = written {
                self.mirror.put_back_unsaved(name);
                outcome = Err(error);
            }
        }
        outcome
    }

    fn kept_feeds(&self) -> Vec<KeptFeed> {
        let kept = self.all_feeds().into_iter().filter_map(|feed| {
            let fresh_at = feed.progress().fresh_at?;
            let (environment, digest) = (feed.environment.clone(), feed.digest.clone());
            Some(KeptFeed { environment, digest, projects: feed.projects.clone(), fresh_at })
        });
        kept.collect()
    }

    fn kept(&self, name: &str) -> Option<Kept> {
        let environment = self.mirror.get(name)?;
        let raw = |text: String| RawValue::from_string(text).ok();
        Some(Kept {
            environment: name.to_owned(),
            revision: environment.changed_at(),
            is_of_upstream: environment.numbering() == Numbering::Log,
            features: environment.flags().iter().filter_map(|flag| raw(flag.json().to_owned())).collect(),
            segments: environment.segments().filter_map(|segment| raw(serde_json::to_string(segment).ok()?)).collect(),
        })
    }
}
