//! Files that are somebody's alone, and that are there after a loss of power.

use std::{
    fs::{File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

/// Makes a file that its owner alone can read. One that exists is left as it is, and is an error.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Keeps what was made, renamed or removed in the directory of this file.
pub fn sync_directory_of(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory_of(path))?.sync_all() } else { Ok(()) }
}

/// The directory that a file is in.
pub fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The file beside this one whose name goes on like this.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Gives a file its name, unless something has that name already.
pub fn place(draft: &Path, path: &Path) -> io::Result<()> {
    // Unlike a renamed file, a link never takes the place of another.
    match std::fs::hard_link(draft, path) {
        Ok(()) => std::fs::remove_file(draft)?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        // Some file systems have no links.
        Err(_) if !path.try_exists()? => std::fs::rename(draft, path)?,
        Err(_) => return Err(io::ErrorKind::AlreadyExists.into()),
    }
    sync_directory_of(path)
}

/// Room that there is for files of this process in a directory, and in all, in bytes; `None` where the system does not
/// tell.
#[cfg(unix)]
pub fn room(directory: &Path) -> Option<(u64, u64)> {
    let figures = rustix::fs::statvfs(directory).ok()?;
    let size = figures.f_frsize;
    Some((figures.f_bavail.saturating_mul(size), figures.f_blocks.saturating_mul(size)))
}

/// The same.
#[cfg(not(unix))]
pub fn room(_directory: &Path) -> Option<(u64, u64)> {
    None
}

/// A number of bytes, as a person reads it.
pub fn readable(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let (mut whole, mut tenths, mut unit) = (bytes, 0, "bytes");
    for larger in UNITS {
        if whole < 1024 {
            break;
        }
        (tenths, unit) = (whole % 1024 * 10 / 1024, larger);
        whole /= 1024;
    }
    if unit == "bytes" { format!("{whole} bytes") } else { format!("{whole}.{tenths} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_in_the_largest_unit_that_they_fill() {
        for (bytes, expected) in
            [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (5 << 30, "5.0 GiB")]
        {
            assert_eq!(readable(bytes), expected);
        }
    }

    #[test]
    fn a_file_never_takes_the_place_of_another() {
        let directory = tempfile::tempdir().expect("a directory");
        let [draft, path] = ["draft", "file"].map(|name| directory.path().join(name));
        std::fs::write(&draft, "new").expect("writes");
        std::fs::write(&path, "old").expect("writes");
        assert_eq!(place(&draft, &path).expect_err("taken").kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read_to_string(&path).expect("reads"), "old");
        std::fs::remove_file(&path).expect("removes");
        place(&draft, &path).expect("places");
        assert_eq!((std::fs::read_to_string(&path).expect("reads").as_str(), draft.exists()), ("new", false));
    }
}
