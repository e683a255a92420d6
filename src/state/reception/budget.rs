//! Budget of the bytes that the bodies arriving at once may take: bounded for the whole node, and given to the latest.
//!
//! When there are none left, the body that has been arriving the longest gives its own back. So slow senders keep no
//! caller out, however many they are and whatever they trickle, and no caller waits: a body that arrives as it should
//! is there before its turn to leave comes.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use flagstone_error::Error;
use tokio::sync::Notify;

/// Budget of bytes for all bodies that are being received.
#[derive(Debug)]
pub struct ByteBudget {
    most_bytes: usize,
    reservations: Mutex<Reservations>,
}

#[derive(Debug, Default)]
struct Reservations {
    /// Bytes that all reservations hold together.
    taken_bytes: usize,
    /// The number of the next reservation: later ones have higher numbers.
    next: u64,
    /// Reservations of bodies that are still arriving.
    arriving: BTreeMap<u64, Arriving>,
}

#[derive(Debug)]
struct Arriving {
    bytes: usize,
    leave: Arc<Notify>,
}

impl Reservations {
    /// Takes the bytes back from one that is still arriving.
    fn dismiss(&mut self, number: u64) {
        if let Some(gone) = self.arriving.remove(&number) {
            self.taken_bytes -= gone.bytes;
            gone.leave.notify_one();
        }
    }
}

impl ByteBudget {
    /// A budget of so many bytes.
    pub fn of(most_bytes: usize) -> Self {
        Self { most_bytes, reservations: Mutex::default() }
    }

    /// A reservation of nothing yet.
    pub fn reserve(self: &Arc<Self>) -> Reservation {
        let mut reservations = self.reservations();
        let number = reservations.next;
        reservations.next += 1;
        Reservation { budget: Arc::clone(self), number, bytes: 0, leave: Arc::default(), has_arrived: false }
    }

    fn reservations(&self) -> MutexGuard<'_, Reservations> {
        self.reservations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Share of one body in the budget, until it is dropped.
#[derive(Debug)]
pub struct Reservation {
    budget: Arc<ByteBudget>,
    number: u64,
    bytes: usize,
    leave: Arc<Notify>,
    has_arrived: bool,
}

impl Reservation {
    /// Takes so many bytes more, from those that have been arriving for longer if need be. [`Error::ReceiveOverload`]
    /// when there are none, or this one had to leave.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        let mut reservations = self.budget.reservations();
        if self.bytes > 0 && !reservations.arriving.contains_key(&self.number) {
            return Err(Error::ReceiveOverload);
        }
        while reservations.taken_bytes + bytes > self.budget.most_bytes {
            match reservations.arriving.first_key_value() {
                Some((longest, _)) if *longest < self.number => {
                    let longest = *longest;
                    reservations.dismiss(longest);
                }
                _ => return Err(Error::ReceiveOverload),
            }
        }
        reservations.taken_bytes += bytes;
        self.bytes += bytes;
        let leave = &self.leave;
        let entry =
            reservations.arriving.entry(self.number).or_insert_with(|| Arriving { bytes: 0, leave: Arc::clone(leave) });
        entry.bytes = self.bytes;
        Ok(())
    }

    /// Ends when this one has to leave.
    pub async fn dismissed(&self) {
        self.leave.notified().await;
    }

    /// The body is there: from now on it makes no room for others. [`Error::ReceiveOverload`] when it had to before.
    pub fn arrived(&mut self) -> Result<(), Error> {
        if self.bytes > 0 && self.budget.reservations().arriving.remove(&self.number).is_none() {
            return Err(Error::ReceiveOverload);
        }
        self.has_arrived = true;
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut reservations = self.budget.reservations();
        if self.has_arrived {
            reservations.taken_bytes -= self.bytes;
        } else {
            reservations.dismiss(self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reservation(budget: &Arc<ByteBudget>, bytes: usize) -> Reservation {
        let mut reservation = budget.reserve();
        reservation.grow(bytes).expect("room");
        reservation
    }

    fn taken(budget: &ByteBudget) -> usize {
        budget.reservations().taken_bytes
    }

    #[tokio::test]
    async fn who_has_been_arriving_longest_makes_room() {
        let budget = Arc::new(ByteBudget::of(100));
        let mut first = reservation(&budget, 40);
        let second = reservation(&budget, 40);
        let mut third = reservation(&budget, 50);
        first.dismissed().await;
        assert!(first.grow(1).is_err() && first.arrived().is_err());
        assert_eq!(taken(&budget), 90);
        third.grow(30).expect("room");
        second.dismissed().await;
        drop((first, second));
        assert_eq!(taken(&budget), 80);
        drop(third);
        assert_eq!(taken(&budget), 0);
    }

    #[test]
    fn nobody_makes_room_for_one_that_is_slower() {
        let budget = Arc::new(ByteBudget::of(100));
        let mut slow = reservation(&budget, 10);
        let mut quick = reservation(&budget, 80);
        assert!(slow.grow(20).is_err());
        quick.grow(10).expect("room");
        quick.arrived().expect("it has not been dismissed");
    }

    #[test]
    fn what_has_arrived_stays_until_it_is_read() {
        let budget = Arc::new(ByteBudget::of(100));
        let mut there = reservation(&budget, 80);
        there.arrived().expect("it has not been dismissed");
        assert!(budget.reserve().grow(30).is_err());
        drop(there);
        reservation(&budget, 100);
        assert_eq!(taken(&budget), 0);
        budget.reserve().arrived().expect("an empty body");
        assert!(budget.reserve().grow(101).is_err());
    }
}
