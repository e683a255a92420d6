//! The program: its allocator, and the start of the library, where all that it does is.

use std::process::ExitCode;

/// Most of what a request takes is small and soon given back: this gives it out for less, and keeps less of it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    flagstone::cli::main()
}
