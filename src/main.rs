//! Reads the configuration, starts the log, runs the command; nothing else.

use std::{
    io::{IsTerminal as _, Write as _},
    process::ExitCode,
};

use flagstone::{
    cli::Cli,
    config::{LogFormat, log_level},
    telemetry::Log,
};

/// Most of what a request takes is small and soon given back: this gives it out for less, and keeps less of it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::read();
    let log = cli.log().map(|(format, tells_requests)| Log::start(is_text(format), tells_requests, log_level()));
    let logs = log.is_some();
    match cli.run(log.unwrap_or_default()).await {
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

fn is_text(format: LogFormat) -> bool {
    match format {
        LogFormat::Auto => std::io::stderr().is_terminal(),
        LogFormat::Text => true,
        LogFormat::Json => false,
    }
}
