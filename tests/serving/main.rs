//! The program on a socket: callers that dawdle, crowds, few files, and what its log gives away.

mod crowds;
mod frames;
mod log;
mod program;
mod slow_heads;
mod slow_readers;
