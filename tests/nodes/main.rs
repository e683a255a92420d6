//! Several nodes on one PostgreSQL database: what one promises, all of them keep. Without `FLAGSTONE_TEST_DATABASE`
//! there is nothing to test, and the tests say so.

#[path = "../support/address.rs"]
mod address;
#[path = "../support/admin_token.rs"]
mod admin_token;
mod cluster;
mod coming_and_going;
mod copying;
mod event_order;
mod kills;
mod limits;
mod listening;
mod meanwhile;
mod once;
mod opening;
mod outage;
#[path = "../support/postgres.rs"]
mod postgres;
mod private_server;
#[path = "../durability/receiver.rs"]
mod receiver;
mod replica;
#[path = "../support/scheduled.rs"]
mod scheduled;
mod schedules;
mod sessions;
mod tls;
mod trouble;
mod turns;
mod upgrades;
