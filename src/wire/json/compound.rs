//! Values that hold others: lists, objects, and variants, which are objects of one member.

use std::{fmt, io::Write as _};

use serde::{Serialize, ser};

use super::{Unwritable, Writer, is_plain};

/// The name by which a text of `serde_json` says that it is JSON already.
pub(super) const RAW: &str = "$serde_json::private::RawValue";

/// A list or an object under way.
pub(super) struct Compound<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
    /// What ends it; nothing where the only member is JSON already.
    end: Option<u8>,
}

impl<'a> Compound<'a> {
    pub(super) fn open(out: &'a mut Vec<u8>, start: u8, end: u8) -> Self {
        out.push(start);
        Self { out, is_empty: true, end: Some(end) }
    }

    /// What has one member, whose text is the JSON.
    pub(super) const fn raw(out: &'a mut Vec<u8>) -> Self {
        Self { out, is_empty: true, end: None }
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(b',');
        }
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        self.separate();
        value.serialize(Writer(self.out))
    }

    /// Writes a name that stands in the source, where none needs escaping.
    fn name(&mut self, name: &'static str) {
        debug_assert!(is_plain(name), "{name:?} would have to be escaped");
        let start: &[u8] = if std::mem::take(&mut self.is_empty) { b"\"" } else { b",\"" };
        self.out.reserve(name.len() + 4);
        self.out.extend_from_slice(start);
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    fn member<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Unwritable> {
        if self.end.is_none() {
            return write_raw(self.out, value);
        }
        self.name(name);
        value.serialize(Writer(self.out))
    }

    fn close(self) {
        self.out.extend(self.end);
    }
}

/// Writes a text without its quotes.
fn write_raw<T: Serialize + ?Sized>(out: &mut Vec<u8>, text: &T) -> Result<(), Unwritable> {
    struct Bare<'a, T: ?Sized>(&'a T);
    impl<T: Serialize + ?Sized> fmt::Display for Bare<'_, T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.serialize(f)
        }
    }
    write!(out, "{}", Bare(text)).map_err(ser::Error::custom)
}

impl ser::SerializeMap for Compound<'_> {
    type Ok = ();
    type Error = Unwritable;

    /// A number that names a member stands between quotes.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Result<(), Unwritable> {
        self.separate();
        let start = self.out.len();
        name.serialize(Writer(self.out))?;
        match self.out.get(start) {
            Some(b'"') => {}
            Some(b'-' | b'0'..=b'9' | b't' | b'f') => {
                self.out.insert(start, b'"');
                self.out.push(b'"');
            }
            _ => return Err(ser::Error::custom("the name of a member is no text")),
        }
        self.out.push(b':');
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        value.serialize(Writer(self.out))
    }

    fn end(self) -> Result<(), Unwritable> {
        self.close();
        Ok(())
    }
}

/// A variant with content under way: an object whose one member has the name of the variant.
pub(super) struct Variant<'a>(Compound<'a>);

impl<'a> Variant<'a> {
    pub(super) fn open(out: &'a mut Vec<u8>, variant: &'static str, start: u8, end: u8) -> Self {
        Compound::open(out, b'{', b'}').name(variant);
        Self(Compound::open(out, start, end))
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        self.0.item(value)
    }

    fn member<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Unwritable> {
        self.0.member(name, value)
    }

    fn close(self) {
        let Compound { out, end, .. } = self.0;
        out.extend(end);
        out.push(b'}');
    }
}

/// Writes a variant that holds one value.
pub(super) fn write_variant<T: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    variant: &'static str,
    value: &T,
) -> Result<(), Unwritable> {
    let mut object = Compound::open(out, b'{', b'}');
    object.member(variant, value)?;
    object.close();
    Ok(())
}

/// Implements the traits of what holds others: items, `of items`, or members, `of members`.
macro_rules! compound {
    ($($type:ident: $trait:ident, $method:ident of $what:ident;)+) => {
        $(
            impl ser::$trait for $type<'_> {
                type Ok = ();
                type Error = Unwritable;

                compound!($method of $what);

                fn end(self) -> Result<(), Unwritable> {
                    self.close();
                    Ok(())
                }
            }
        )+
    };
    ($method:ident of items) => {
        fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
            self.item(value)
        }
    };
    ($method:ident of members) => {
        fn $method<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Unwritable> {
            self.member(name, value)
        }
    };
}

compound! {
    Compound: SerializeSeq, serialize_element of items;
    Compound: SerializeTuple, serialize_element of items;
    Compound: SerializeTupleStruct, serialize_field of items;
    Compound: SerializeStruct, serialize_field of members;
    Variant: SerializeTupleVariant, serialize_field of items;
    Variant: SerializeStructVariant, serialize_field of members;
}
