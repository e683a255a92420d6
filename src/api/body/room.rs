//! Room for the bodies that arrive at once: bounded for the whole node, and given to whoever comes last.
//!
//! When there is none left, the body that has been arriving the longest makes room. So nobody is kept out by those who
//! send slowly, however many they are and whatever they trickle, and nobody waits: what arrives as it should is there
//! before its turn to leave comes.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use crate::error::Error;

/// So many bytes, for all bodies that are being received.
#[derive(Debug)]
pub(super) struct Room {
    most_bytes: usize,
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    /// What all shares hold together.
    taken_bytes: usize,
    /// The number of the next share: later ones have higher numbers.
    next: u64,
    /// Those that are still arriving.
    arriving: BTreeMap<u64, Arriving>,
}

#[derive(Debug)]
struct Arriving {
    bytes: usize,
    leave: Arc<Notify>,
}

impl Inside {
    /// Takes the room back from one that is still arriving.
    fn dismiss(&mut self, number: u64) {
        if let Some(gone) = self.arriving.remove(&number) {
            self.taken_bytes -= gone.bytes;
            gone.leave.notify_one();
        }
    }
}

impl Room {
    /// Room for so many bytes.
    pub(super) fn of(most_bytes: usize) -> Self {
        Self { most_bytes, inside: Mutex::default() }
    }

    /// A share of nothing yet.
    pub(super) fn enter(self: &Arc<Self>) -> Share {
        let mut inside = self.inside();
        let number = inside.next;
        inside.next += 1;
        Share { room: Arc::clone(self), number, bytes: 0, leave: Arc::default(), has_arrived: false }
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one body holds of the room, until it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    room: Arc<Room>,
    number: u64,
    bytes: usize,
    leave: Arc<Notify>,
    has_arrived: bool,
}

impl Share {
    /// Takes so many bytes more, from those that have been arriving for longer if need be. [`Error::Flooded`] when
    /// there are none, or this one had to leave.
    pub(super) fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        let mut inside = self.room.inside();
        if self.bytes > 0 && !inside.arriving.contains_key(&self.number) {
            return Err(Error::Flooded);
        }
        while inside.taken_bytes + bytes > self.room.most_bytes {
            match inside.arriving.first_key_value() {
                Some((longest, _)) if *longest < self.number => {
                    let longest = *longest;
                    inside.dismiss(longest);
                }
                _ => return Err(Error::Flooded),
            }
        }
        inside.taken_bytes += bytes;
        self.bytes += bytes;
        let leave = &self.leave;
        let entry =
            inside.arriving.entry(self.number).or_insert_with(|| Arriving { bytes: 0, leave: Arc::clone(leave) });
        entry.bytes = self.bytes;
        Ok(())
    }

    /// Ends when this one has to leave.
    pub(super) async fn dismissed(&self) {
        self.leave.notified().await;
    }

    /// The body is there: from now on it makes no room for others. [`Error::Flooded`] when it had to before.
    pub(super) fn arrived(&mut self) -> Result<(), Error> {
        if self.bytes > 0 && self.room.inside().arriving.remove(&self.number).is_none() {
            return Err(Error::Flooded);
        }
        self.has_arrived = true;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut inside = self.room.inside();
        if self.has_arrived {
            inside.taken_bytes -= self.bytes;
        } else {
            inside.dismiss(self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(room: &Arc<Room>, bytes: usize) -> Share {
        let mut share = room.enter();
        share.grow(bytes).expect("room");
        share
    }

    fn taken(room: &Room) -> usize {
        room.inside().taken_bytes
    }

    #[tokio::test]
    async fn who_has_been_arriving_longest_makes_room() {
        let room = Arc::new(Room::of(100));
        let mut first = share(&room, 40);
        let second = share(&room, 40);
        let mut third = share(&room, 50);
        first.dismissed().await;
        assert!(first.grow(1).is_err() && first.arrived().is_err());
        assert_eq!(taken(&room), 90);
        third.grow(30).expect("room");
        second.dismissed().await;
        drop((first, second));
        assert_eq!(taken(&room), 80);
        drop(third);
        assert_eq!(taken(&room), 0);
    }

    #[test]
    fn nobody_makes_room_for_one_that_is_slower() {
        let room = Arc::new(Room::of(100));
        let mut slow = share(&room, 10);
        let mut quick = share(&room, 80);
        assert!(slow.grow(20).is_err());
        quick.grow(10).expect("room");
        quick.arrived().expect("it has not been dismissed");
    }

    #[test]
    fn what_has_arrived_stays_until_it_is_read() {
        let room = Arc::new(Room::of(100));
        let mut there = share(&room, 80);
        there.arrived().expect("it has not been dismissed");
        assert!(room.enter().grow(30).is_err());
        drop(there);
        share(&room, 100);
        assert_eq!(taken(&room), 0);
        room.enter().arrived().expect("an empty body");
        assert!(room.enter().grow(101).is_err());
    }
}
