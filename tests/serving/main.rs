//! The program on a socket: callers that dawdle, crowds, few files, and what its log and its traces give away.

mod collector;
mod crowds;
mod frames;
mod log;
mod program;
mod slow_heads;
mod slow_readers;
mod told;
mod traces;
