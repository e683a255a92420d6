//! Files of flags, of Unleash and of other products.

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
        self.judge(given)?;
        let mut contents = Vec::new();
        for given in given {
            let named = environment_of(given);
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

/// Environment and path of a file that is given as `ENVIRONMENT=FILE`.
fn environment_of(given: &str) -> Option<(&str, &str)> {
    given.split_once('=').filter(|_| !std::path::Path::new(given).exists())
}
