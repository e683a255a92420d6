//! The program on a socket: callers that dawdle, crowds, and few files.

mod crowds;
mod frames;
mod program;
mod slow_heads;
mod slow_readers;
