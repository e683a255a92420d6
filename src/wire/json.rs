//! Writes JSON as `serde_json` does, byte for byte, but faster: every answer goes through here, and a long list has ten
//! thousand names and texts in it. Texts are looked over eight bytes at a time and copied whole.

mod compound;

use serde::{Serialize, Serializer, ser};

use self::compound::{Compound, Variant};

/// Bytes that an answer has room for at first.
const ROOM: usize = 1 << 10;

/// Why a value cannot be written: a name in it is no text, or it says so itself.
#[derive(Debug)]
pub struct Unwritable(String);

impl std::fmt::Display for Unwritable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unwritable {}

impl ser::Error for Unwritable {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// The JSON text of a value.
///
/// Fails where `serde_json` does: when the name of a member is neither a text nor a number, or the value refuses.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, Unwritable> {
    let mut out = Vec::with_capacity(ROOM);
    append(&mut out, value)?;
    Ok(out)
}

/// Writes the JSON text of a value at the end of what is there. Fails like [`to_vec`].
pub fn append<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<(), Unwritable> {
    value.serialize(Writer(out))
}

/// Writes one value at the end of what is there.
struct Writer<'a>(&'a mut Vec<u8>);

impl Writer<'_> {
    fn integer(self, value: impl itoa::Integer) {
        self.0.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    }

    /// What is rare is left to the general writer.
    fn general<T: Serialize>(self, value: T) -> Result<(), Unwritable> {
        serde_json::to_writer(self.0, &value).map_err(ser::Error::custom)
    }
}

/// Implements the methods for numbers, several with one body.
macro_rules! numbers {
    ($(|$writer:ident, $value:ident| $body:expr => $($method:ident($number:ty)),+;)+) => {
        $($(
            fn $method(self, $value: $number) -> Result<(), Unwritable> {
                let $writer = self;
                $body
            }
        )+)+
    };
}

impl<'a> Serializer for Writer<'a> {
    type Ok = ();
    type Error = Unwritable;
    type SerializeSeq = Compound<'a>;
    type SerializeTuple = Compound<'a>;
    type SerializeTupleStruct = Compound<'a>;
    type SerializeTupleVariant = Variant<'a>;
    type SerializeMap = Compound<'a>;
    type SerializeStruct = Compound<'a>;
    type SerializeStructVariant = Variant<'a>;

    fn serialize_bool(self, value: bool) -> Result<(), Unwritable> {
        self.0.extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    numbers! {
        |writer, value| {
            writer.integer(value);
            Ok(())
        } => serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64),
             serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64);
        |writer, value| writer.general(value) =>
            serialize_i128(i128), serialize_u128(u128), serialize_f32(f32), serialize_f64(f64);
    }

    fn serialize_char(self, value: char) -> Result<(), Unwritable> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<(), Unwritable> {
        write_text(self.0, text);
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Unwritable> {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Result<(), Unwritable> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Unwritable> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Unwritable> {
        self.0.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Unwritable> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Unwritable> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Unwritable> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Unwritable> {
        compound::write_variant(self.0, variant, value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'a>, Unwritable> {
        Ok(Compound::open(self.0, b'[', b']'))
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'a>, Unwritable> {
        Ok(Compound::open(self.0, b'[', b']'))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>, Unwritable> {
        Ok(Compound::open(self.0, b'[', b']'))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Variant<'a>, Unwritable> {
        Ok(Variant::open(self.0, variant, b'[', b']'))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'a>, Unwritable> {
        Ok(Compound::open(self.0, b'{', b'}'))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Compound<'a>, Unwritable> {
        Ok(if name == compound::RAW { Compound::raw(self.0) } else { Compound::open(self.0, b'{', b'}') })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Variant<'a>, Unwritable> {
        Ok(Variant::open(self.0, variant, b'{', b'}'))
    }
}

/// Writes a text between quotes.
fn write_text(out: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    out.reserve(rest.len() + 2);
    out.push(b'"');
    loop {
        let plain = plain_bytes(rest);
        let (before, from) = rest.split_at(plain);
        out.extend_from_slice(before);
        let Some((byte, after)) = from.split_first() else { break };
        write_escaped(out, *byte);
        rest = after;
    }
    out.push(b'"');
}

/// Whether a text stands for itself.
fn is_plain(text: &str) -> bool {
    plain_bytes(text.as_bytes()) == text.len()
}

/// How many bytes stand for themselves before the first that does not.
fn plain_bytes(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks();
    let plain_words = words.iter().take_while(|word| has_plain_bytes(u64::from_le_bytes(**word))).count();
    let looked_at = plain_words * size_of::<u64>();
    looked_at + bytes[looked_at..].iter().take_while(|byte| **byte >= b' ' && !matches!(byte, b'"' | b'\\')).count()
}

/// Whether none of eight bytes is a quote, a backslash or a control character. Of those above 127 none is.
const fn has_plain_bytes(word: u64) -> bool {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHS: u64 = ONES << 7;
    const fn has_byte_below(word: u64, bound: u8) -> u64 {
        word.wrapping_sub(ONES * bound as u64) & !word & HIGHS
    }
    const fn has_byte(word: u64, byte: u8) -> u64 {
        has_byte_below(word ^ (ONES * byte as u64), 1)
    }
    has_byte_below(word, b' ') | has_byte(word, b'"') | has_byte(word, b'\\') == 0
}

fn write_escaped(out: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let letter = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            let [high, low] = [byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)]);
            return out.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

#[cfg(test)]
mod tests;
