//! Files of flags, of Unleash and of other products.

use clap::{Args, builder::PossibleValuesParser};

use crate::{
    domain::time::Timestamp,
    moving_in::{
        Finding, Set,
        files::{self, Format, Options, SourceFile},
    },
};

/// Most bytes of a file that is read at all; its form may allow less.
const MOST_BYTES: u64 = 64 << 20;

/// What files do not tell.
#[derive(Debug, Args)]
pub(super) struct FromFiles {
    /// Whose files they are; found out from what they hold when absent.
    #[arg(long, value_name = "PRODUCT", value_parser = PossibleValuesParser::new(Format::ALL.map(Format::name)))]
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
        let mut contents = Vec::new();
        for given in given {
            let named = given.split_once('=').filter(|_| !std::path::Path::new(given).exists());
            let (environment, path) = named.map_or((None, *given), |(environment, path)| (Some(environment), path));
            let bytes = crate::files::read_bounded(std::path::Path::new(path), MOST_BYTES);
            let bytes = bytes.map_err(|error| format!("cannot read {path}: {error}"))?;
            contents.push((environment, path, bytes));
        }
        let sources: Vec<SourceFile<'_>> = contents
            .iter()
            .map(|(environment, name, bytes)| SourceFile { name, environment: *environment, bytes })
            .collect();
        let chosen = self.format.as_deref().and_then(Format::parse);
        let format = match (chosen, sources.first()) {
            (Some(format), _) => format,
            (None, Some(first)) => Format::detect(first)?.ok_or_else(|| {
                format!("{} is no file of a product that is known here: --format names those that are", first.name)
            })?,
            (None, None) => return Err("--from names no file".into()),
        };
        let options = Options { project: self.project.clone(), environment: self.environment.clone(), now };
        Ok(files::read(format, &sources, &options)?)
    }
}
