//! `flagstone move-in`: whoever used the old server notices nothing. Without `FLAGSTONE_TEST_DATABASE` there is no server
//! to move in from, and nothing is tested.

mod answers;
mod dump;
mod moved;
mod refusals;
mod server;
mod stored;
