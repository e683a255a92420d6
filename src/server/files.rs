//! The system's limit of open files, which connections are.

/// Files kept aside for the database, its log, the program itself, and callers who are refused for want of room.
const KEPT: usize = 128;

/// Raises the limit as far as the system allows, and returns the number of connections it has room for; `None` when
/// there is no limit. Where files are few, connections have half of them.
pub(super) fn room_for_connections() -> Option<usize> {
    raised_limit().map(room_among)
}

fn room_among(files: usize) -> usize {
    files.saturating_sub(KEPT).max(files / 2).max(1)
}

/// Number of files that a process may open, and the number to which that can be raised; `None` when there is no limit.
#[cfg(unix)]
pub fn files_of_process() -> Option<(u64, u64)> {
    use rustix::process::{Resource, getrlimit};

    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.or(limit.current)?;
    Some((limit.current.unwrap_or(most), most))
}

/// Returns `None`: other systems have no such limit.
#[cfg(not(unix))]
pub fn files_of_process() -> Option<(u64, u64)> {
    None
}

#[cfg(unix)]
fn raised_limit() -> Option<usize> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })
    {
        tracing::warn!(target: "flagstone::server::files", %error, "cannot raise the limit of open files");
    }
    let files = getrlimit(Resource::Nofile).current?;
    Some(usize::try_from(files).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn raised_limit() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_kept_aside_and_half_of_few() {
        for (files, expected) in [(0, 1), (1, 1), (64, 32), (256, 128), (300, 172), (1024, 896), (4096, 3968)] {
            assert_eq!(room_among(files), expected, "{files}");
        }
    }
}
