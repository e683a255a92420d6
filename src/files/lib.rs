//! Files that only their owner can read, and that are there after a loss of power.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

/// Longest name of a file that is made of names of others, in bytes: file systems take 255, and its draft has a longer
/// one.
const LONGEST_NAME: usize = 180;

/// Makes a file that its owner alone can read. One that exists is left as it is, and is an error.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Writes a file that its owner alone can read, in the place of one that may be there. It is there as a whole or not at
/// all, and a link that has its name is not followed. A path that is no file, such as a device, is written to as it is.
pub fn replace_private(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let there = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        there => Some(there?.file_type()),
    };
    if there.is_some_and(|there| there.is_symlink()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link, and links are not followed"));
    }
    let finish = |file: File| {
        let mut file = BufWriter::new(file);
        write(&mut file)?;
        file.into_inner().map_err(io::IntoInnerError::into_error)
    };
    if there.is_some_and(|there| !there.is_file()) {
        return finish(OpenOptions::new().write(true).open(path)?).map(drop);
    }
    let draft = beside(path, &format!(".{}.draft", std::process::id()));
    let file = create_private(&draft)?;
    let written = finish(file).and_then(|file| file.sync_all()).and_then(|()| std::fs::rename(&draft, path));
    if written.is_err() {
        // It may not have come to that.
        let _absent = std::fs::remove_file(&draft);
    }
    written?;
    sync_directory_of(path)
}

/// All that is in a file, unless that is more than so many bytes: a device or a pipe never ends.
pub fn read_bounded(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    bounded(File::open(path)?, most_bytes)
}

/// All that a reader gives, unless that is more than so many bytes.
pub fn bounded(reader: impl Read, most_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(most_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        let reason = format!("it is larger than {}", readable(most_bytes));
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    Ok(bytes)
}

/// A name for a file that is made of a name from outside: it leads into no other directory, is not hidden, and no
/// longer than file systems take.
pub fn name_of(text: &str) -> String {
    let mut name = String::new();
    for (index, byte) in text.bytes().enumerate() {
        let is_plain = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || (byte == b'.' && index > 0);
        if is_plain {
            name.push(char::from(byte));
        } else {
            name.extend(["%", &hex::encode_upper([byte])]);
        }
        if name.len() > LONGEST_NAME {
            name.truncate(LONGEST_NAME);
            name.push('~');
            break;
        }
    }
    if name.is_empty() { "%".to_owned() } else { name }
}

/// Keeps what was made, renamed or removed in the directory of this file.
pub fn sync_directory_of(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory_of(path))?.sync_all() } else { Ok(()) }
}

/// The directory that a file is in.
pub fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The file in the same directory whose name continues with an ending.
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
/// say.
#[cfg(unix)]
pub fn room(directory: &Path) -> Option<(u64, u64)> {
    let figures = rustix::fs::statvfs(directory).ok()?;
    let size = figures.f_frsize;
    Some((figures.f_bavail.saturating_mul(size), figures.f_blocks.saturating_mul(size)))
}

/// Returns `None`: other systems are not asked.
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

/// Returns why a file cannot be made, with what to do.
pub fn reason(error: &io::Error) -> String {
    let advice = match error.kind() {
        io::ErrorKind::NotFound => "its directory must exist",
        io::ErrorKind::ReadOnlyFilesystem => {
            "it must be on a file system that can be written to, such as a mounted volume"
        }
        io::ErrorKind::StorageFull => "its disk is full, so make room",
        _ => "the user that Flagstone runs as must be able to write to its directory",
    };
    format!("{error}; {advice}")
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
    fn a_name_of_others_leads_nowhere_else() {
        for (text, expected) in [
            ("shop", "shop"),
            ("shop.production", "shop.production"),
            ("../up", "%2E.%2Fup"),
            ("..", "%2E."),
            (".hidden", "%2Ehidden"),
            ("/etc/passwd", "%2Fetc%2Fpasswd"),
            ("a\\b:c", "a%5Cb%3Ac"),
            ("", "%"),
            ("a\0b\n", "a%00b%0A"),
            ("ü", "%C3%BC"),
        ] {
            assert_eq!(name_of(text), expected, "{text:?}");
        }
        for long in ["x".repeat(100_000), "/".repeat(100_000)] {
            let name = name_of(&long);
            assert!(name.len() <= LONGEST_NAME + 1 && name.ends_with('~'), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_written_is_private_whole_and_behind_no_link() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = tempfile::tempdir().expect("a directory");
        let [path, target, link] = ["file", "target", "link"].map(|name| directory.path().join(name));
        let write = |path: &Path, text: &'static str| replace_private(path, |file| file.write_all(text.as_bytes()));
        std::fs::write(&path, "old").expect("writes");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).expect("sets");
        write(&path, "new").expect("writes");
        assert_eq!(std::fs::read_to_string(&path).expect("reads"), "new");
        assert_eq!(path.metadata().expect("a file").permissions().mode() & 0o777, 0o600);
        std::fs::write(&target, "untouched").expect("writes");
        symlink(&target, &link).expect("links");
        assert!(write(&link, "through").expect_err("refuses").to_string().contains("links are not followed"));
        let failed = replace_private(&path, |file| {
            file.write_all(b"half")?;
            Err(io::ErrorKind::Other.into())
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read_to_string(&target).expect("reads"), "untouched");
        assert_eq!(std::fs::read_to_string(&path).expect("reads"), "new");
        write(Path::new("/dev/null"), "gone").expect("a device is written to");
        assert_eq!(std::fs::read_dir(directory.path()).expect("reads").count(), 3, "no draft is left");
    }

    #[cfg(unix)]
    #[test]
    fn what_never_ends_is_refused() {
        let error = read_bounded(Path::new("/dev/zero"), 1 << 20).expect_err("refuses");
        assert_eq!(error.to_string(), "it is larger than 1.0 MiB");
        assert_eq!(bounded(&b"four"[..], 4).expect("reads"), b"four");
        assert!(bounded(&b"fives"[..], 4).is_err());
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

    #[test]
    fn what_cannot_be_made_is_told_with_what_to_do() {
        for (kind, advice) in [
            (io::ErrorKind::NotFound, "directory must exist"),
            (io::ErrorKind::ReadOnlyFilesystem, "file system that can be written to"),
            (io::ErrorKind::StorageFull, "make room"),
            (io::ErrorKind::PermissionDenied, "must be able to write"),
        ] {
            assert!(reason(&io::Error::from(kind)).contains(advice), "{kind:?}");
        }
    }
}
