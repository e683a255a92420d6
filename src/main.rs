//! Reads the configuration, starts the log, runs the command; nothing else.

use std::{
    io::{IsTerminal as _, Write as _},
    process::ExitCode,
};

use flagstone::{cli::Cli, config::LogFormat};
use tracing_subscriber::EnvFilter;

/// Most of what a request takes is small and soon given back: this gives it out for less, and keeps less of it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::read();
    let logs = cli.log().map(start_log).is_some();
    match cli.run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if logs {
                tracing::error!(%error, "stopped");
            } else {
                // Where that does not arrive, nothing would.
                let _unheard = writeln!(std::io::stderr(), "error: {error}");
            }
            ExitCode::FAILURE
        }
    }
}

/// Log lines go to standard error, so that standard output belongs to what commands print.
fn start_log(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,sqlx=warn,sea_orm=warn"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let text = match format {
        LogFormat::Auto => std::io::stderr().is_terminal(),
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    if text { log.init() } else { log.json().init() }
}
