//! Advisory locks, which serialise some transactions.

/// Work that PostgreSQL lets one transaction do at a time, over all nodes of a database. SQLite has one writer anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdvisoryLock {
    /// Giving ids to events, so that they rise in commit order.
    Events = 0x01,
    /// Changing the schema.
    Migration = 0x02,
    /// Making API tokens, so that they are counted right.
    ApiTokens = 0x03,
    /// Taking away the rights of an administrator: two changes that remove one of two each would leave none.
    Administrators = 0x04,
    /// Making identities of login providers: two who come for the first time may be one person.
    Identities = 0x05,
    /// Moving integrations on in the log, and taking deliveries on.
    Deliveries = 0x06,
    /// Adding to the chain of hashes over the events, and making its checkpoints.
    EventChain = 0x07,
    /// Making what an instance may have only so many of, so that it is counted right: see `store::limits`.
    Limits = 0x08,
    /// Making features or taking them into use, imports included: names are unique and room is limited.
    Features = 0x10,
}

impl AdvisoryLock {
    /// The number that the database knows the lock by: `FLAGE`, then which of them. It is the same in every version, as
    /// nodes of two versions work side by side during an upgrade.
    pub(crate) const fn key(self) -> i64 {
        0x0046_4c41_4745_0000 | self as i64
    }
}
