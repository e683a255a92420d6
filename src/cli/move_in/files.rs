//! Files of flags, of Unleash and of other products.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use clap::{Args, builder::PossibleValuesParser};

use crate::{
    domain::{
        address::{self, Named},
        naming::is_environment_name,
        project::id,
        time::Timestamp,
    },
    moving_in::{
        Finding, Set,
        files::{self, Format, Options, SourceFile},
    },
};

/// Most bytes of a file, and of all files of a folder, that are read at all; their form may allow less.
const MOST_BYTES: u64 = 64 << 20;
/// Most entries of a folder, and of those below it, that are looked at.
const MOST_ENTRIES: usize = 100_000;
/// Endings of the names of files that Flipt takes for its own in a folder.
const OF_FOLDERS: [&str; 3] = ["features.yaml", "features.yml", "features.json"];

/// Information that files lack.
#[derive(Debug, Args)]
pub(super) struct FromFiles {
    /// Product that wrote the files; detected from their contents when absent.
    #[arg(long, value_name = "PRODUCT", value_parser = PossibleValuesParser::new(Format::all().map(Format::name)))]
    format: Option<String>,
    /// Id of the project for flags whose file names none.
    #[arg(long, value_name = "PROJECT", default_value = "default")]
    project: String,
    /// Environment for files that name none.
    #[arg(long, value_name = "ENVIRONMENT", default_value = "production")]
    environment: String,
}

impl FromFiles {
    /// Reads files, each given as `FILE` or `ENVIRONMENT=FILE`.
    pub(super) fn read(
        &self,
        given: &[&str],
        now: Timestamp,
    ) -> Result<(Set, Vec<Finding>), Box<dyn std::error::Error + Send + Sync>> {
        self.judge(given)?;
        let mut contents = Vec::new();
        for given in given {
            let named = environment_of(given);
            let (environment, path) = named.map_or((None, *given), |(environment, path)| (Some(environment), path));
            let path = Path::new(path);
            let paths = if path.is_dir() {
                placed(path, environment, files_of(path)?)?
            } else {
                vec![(environment.map(str::to_owned), path.to_owned())]
            };
            let mut left = MOST_BYTES;
            for (environment, path) in paths {
                let bytes = crate::files::read_bounded(&path, left);
                let bytes = bytes.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
                left = left.saturating_sub(bytes.len() as u64);
                contents.push((environment, path.display().to_string(), bytes));
            }
        }
        let sources: Vec<SourceFile<'_>> = contents
            .iter()
            .map(|(environment, name, bytes)| SourceFile { name, environment: environment.as_deref(), bytes })
            .collect();
        let chosen = self.format.as_deref().and_then(Format::parse);
        let format = match (chosen, sources.first()) {
            (Some(format), _) => format,
            (None, Some(first)) => Format::detect(first)?.ok_or_else(|| {
                let reason = "is no file of a product that is known here: --format names those that are";
                format!("{} {reason}", first.name)
            })?,
            (None, None) => return Err("--from names no file".into()),
        };
        let options = Options { project: self.project.clone(), environment: self.environment.clone(), now };
        Ok(files::read(format, &sources, &options)?)
    }

    /// Refuses names of a project and environments that nothing can have.
    fn judge(&self, given: &[&str]) -> Result<(), String> {
        let project = id::judge(&self.project);
        project.map_err(|fault| format!("\"{}\" cannot be the id of a project: it {fault}", self.project))?;
        let of_files = given.iter().filter_map(|given| Some(environment_of(given)?.0));
        for name in std::iter::once(&*self.environment).chain(of_files) {
            let judged = address::judge(Named::Environment, name);
            judged.map_err(|fault| format!("\"{name}\" cannot be the name of an environment: it {fault}"))?;
            if !is_environment_name(name) {
                return Err(format!(
                    "\"{name}\" cannot be the name of an environment: these consist of 1 to 100 letters, digits and the \
                     signs _ ~ . -"
                ));
            }
        }
        Ok(())
    }
}

/// The files of Flipt in a folder and below it, in the order of their names. Hidden folders and links are passed over.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let (mut found, mut folders, mut entries) = (Vec::new(), vec![folder.to_owned()], 0);
    while let Some(folder) = folders.pop() {
        let unreadable = |error| format!("cannot read {}: {error}", folder.display());
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            entries += 1;
            if entries > MOST_ENTRIES {
                return Err(format!("{} has more than {MOST_ENTRIES} entries: name its files", folder.display()));
            }
            let (name, kind) = (entry.file_name(), entry.file_type().map_err(unreadable)?);
            let name = name.to_string_lossy();
            if kind.is_dir() && !name.starts_with('.') {
                folders.push(entry.path());
            }
            let is_named =
                |own: &str| name.strip_suffix(own).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
            if kind.is_file() && OF_FOLDERS.into_iter().any(is_named) {
                found.push(entry.path());
            }
        }
    }
    if found.is_empty() {
        let reason = "has no features.yaml of Flipt, and of other products files are named one by one";
        return Err(format!("{} {reason}", folder.display()));
    }
    found.sort();
    Ok(found)
}

/// The files of a folder with their environments. A checkout of Flipt 2 holds a folder for each environment, and in it one
/// for each namespace: where files of the same namespace are in several folders, those are the environments.
fn placed(
    folder: &Path,
    environment: Option<&str>,
    paths: Vec<PathBuf>,
) -> Result<Vec<(Option<String>, PathBuf)>, String> {
    let above = |path: &Path, levels: usize| {
        let inner = path.strip_prefix(folder).ok()?.ancestors().nth(levels)?.file_name()?;
        Some(inner.to_string_lossy().into_owned())
    };
    let mut environments: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in &paths {
        if let (Some(namespace), Some(environment)) = (above(path, 1), above(path, 2)) {
            environments.entry(namespace).or_default().insert(environment);
        }
    }
    let is_checkout = environment.is_none() && environments.values().any(|names| names.len() > 1);
    let placed = paths.into_iter().map(|path| {
        let own = above(&path, 2).filter(|_| is_checkout);
        if let Some(name) = own.as_deref().filter(|name| !is_environment_name(name)) {
            let what = "cannot be the name of an environment: give its folder as ENVIRONMENT=FOLDER";
            return Err(format!("{}: \"{name}\" {what}", path.display()));
        }
        Ok((own.or_else(|| environment.map(str::to_owned)), path))
    });
    placed.collect()
}

/// Environment and path of a file that is given as `ENVIRONMENT=FILE`.
fn environment_of(given: &str) -> Option<(&str, &str)> {
    given.split_once('=').filter(|_| !Path::new(given).exists())
}
