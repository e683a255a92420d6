//! A directory in which the program is run, as a server and as its commands.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

pub struct Place(TempDir);

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The names of the files in a directory here, sorted.
    pub fn names(&self, directory: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.file(directory)).expect("a directory");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flagstone"));
        command.args(arguments).current_dir(self.path()).env_clear().stdin(Stdio::null());
        command.output().expect("the program")
    }

    /// Returns the output of a command that succeeds.
    #[track_caller]
    pub fn says(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        let said = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(output.status.success(), "{arguments:?}: {complaint}{said}");
        said
    }

    /// Returns the complaint of a command that fails with 1.
    #[track_caller]
    pub fn refuses(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let complaint = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {complaint}");
        complaint
    }

    /// A small file system of its own at a directory here; `None` where the system does not allow it.
    #[expect(clippy::print_stderr, reason = "says why nothing is tested")]
    pub fn small_disk(&self, name: &str, kib: u32) -> Option<Disk> {
        let path = self.file(name);
        std::fs::create_dir(&path).expect("a directory");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "tmpfs"]).arg(&path);
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        if !mounted {
            eprintln!("skipped: a file system cannot be mounted here");
        }
        mounted.then_some(Disk(path))
    }
}

/// A mounted file system, which goes away with this.
pub struct Disk(PathBuf);

impl Drop for Disk {
    fn drop(&mut self) {
        // What cannot be unmounted now goes away when nobody uses it any more.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}
