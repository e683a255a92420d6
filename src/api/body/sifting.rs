//! Reports whose entries are judged one by one: what does not fit is left out, and the others are taken.

use poem_openapi::types::Type;
use serde_json::Value;

use super::{
    nul_character,
    schema::{self, Listing},
};
use crate::{domain::left_out::LeftOut, error::Error};

/// Leaves out the entries of a list or a map that do not fit the schema of `T`. `at` is the place of what holds it.
pub fn sift<T: Type + 'static>(holder: &mut Value, at: &str, name: &str, left_out: &mut LeftOut) {
    sift_within::<T>(holder, at, name, left_out, |_, _, _| {});
}

/// Leaves out entries like [`sift`], after `within` has left out parts of an entry that does not fit otherwise.
pub fn sift_within<T: Type + 'static>(
    holder: &mut Value,
    at: &str,
    name: &str,
    left_out: &mut LeftOut,
    within: impl Fn(&mut Value, &str, &mut LeftOut),
) {
    let mut keeps = |key: &str, entry: &mut Value, place: &dyn Fn() -> String| {
        if fault::<T>(key, entry, place).is_none() {
            return true;
        }
        let mut within_it = LeftOut::default();
        within(entry, &place(), &mut within_it);
        let fault = fault::<T>(key, entry, place);
        match &fault {
            Some(fault) => left_out.note(|| fault.clone()),
            None => left_out.add(within_it),
        }
        fault.is_none()
    };
    match holder.get_mut(name) {
        Some(Value::Array(entries)) => {
            let mut index = 0;
            entries.retain_mut(|entry| {
                let keeps = keeps("", entry, &|| format!("{at}/{name}/{index}"));
                index += 1;
                keeps
            });
        }
        Some(Value::Object(entries)) => {
            entries
                .retain(|key, entry| keeps(key, entry, &|| format!("{at}/{name}/{}", key.replace('\0', "\u{fffd}"))));
        }
        _ => {}
    }
}

/// Fault of an entry or its key, in words that do not repeat the entry.
fn fault<T: Type + 'static>(key: &str, entry: &Value, place: &dyn Fn() -> String) -> Option<String> {
    if key.contains('\0') || nul_character(entry, &mut String::new()).is_some() {
        return Some(format!("{} holds a NUL character, which no text may.", place()));
    }
    if schema::fits::<T>(entry) {
        return None;
    }
    schema::check::<T>(entry, &place(), Listing::First).err().as_ref().map(Error::to_string)
}
