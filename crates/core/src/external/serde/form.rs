//! The form of IDs that serde chooses by itself, which is text for people, and integers or bytes
//! for machines.

use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;

use serde::de::{self, Deserializer, IgnoredAny, SeqAccess, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};

/// The form of an ID in binary formats, which is an integer or an array of bytes.
#[doc(hidden)]
pub trait Binary: Serialize + Sized {
    /// Asks `deserializer` for such a value.
    ///
    /// # Errors
    /// Returns the errors of the deserializer and of the visitor.
    fn deserialize<'de, D: Deserializer<'de>, V: Visitor<'de>>(
        deserializer: D,
        visitor: V,
    ) -> Result<V::Value, D::Error>;

    /// Describes the value in an error.
    ///
    /// # Errors
    /// Returns the error of the formatter.
    fn describe(f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Returns the integer, if this is one and holds it.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::external::serde::Binary;
    ///
    /// assert_eq!(u64::from_integer(7), Some(7));
    /// assert_eq!(u64::from_integer(-1), None);
    /// assert_eq!(<[u8; 10]>::from_integer(7), None); // not an integer
    /// ```
    fn from_integer(_: i128) -> Option<Self> {
        None
    }

    /// Returns an array of zeros and its bytes, if this is one.
    fn array() -> Option<Self> {
        None
    }

    /// Returns the bytes of an array. An integer has none.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::external::serde::Binary;
    ///
    /// let mut array = <[u8; 2]>::array().ok_or("not an array")?;
    /// array.bytes()[1] = 7;
    /// assert_eq!(array, [0, 7]);
    /// # Ok::<(), &str>(())
    /// ```
    fn bytes(&mut self) -> &mut [u8] {
        &mut []
    }
}

macro_rules! integer {
    ($($integer:ident: $deserialize:ident),*) => {
        $(impl Binary for $integer {
            fn deserialize<'de, D: Deserializer<'de>, V: Visitor<'de>>(
                deserializer: D,
                visitor: V,
            ) -> Result<V::Value, D::Error> {
                deserializer.$deserialize(visitor)
            }

            fn describe(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!("its integer (", stringify!($integer), ")"))
            }

            fn from_integer(value: i128) -> Option<Self> {
                Self::try_from(value).ok()
            }
        })*
    };
}
integer!(u32: deserialize_u32, u64: deserialize_u64, i64: deserialize_i64);

impl<const N: usize> Binary for [u8; N]
where
    Self: Serialize,
{
    fn deserialize<'de, D: Deserializer<'de>, V: Visitor<'de>>(
        deserializer: D,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        deserializer.deserialize_tuple(N, visitor)
    }

    fn describe(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{N} bytes")
    }

    fn array() -> Option<Self> {
        Some([0; N])
    }

    fn bytes(&mut self) -> &mut [u8] {
        self
    }
}

/// Reads an ID. In formats for people it is read from its text, in others from its binary form, and
/// where serde has buffered it, from either.
///
/// # Errors
/// Returns the deserializer's error, or the reason why the value read is not an ID. A number is an
/// error in formats for people, and in buffers of formats that are not known to be binary.
#[doc(hidden)]
pub fn deserialize<'de, T, B, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: fmt::Display> + TryFrom<B, Error: fmt::Display>,
    B: Binary,
    D: Deserializer<'de>,
{
    let accepts = match Buffer::of::<D>() {
        Some(Buffer::Unknown) => Accepts::TextOrBytes,
        Some(Buffer::Binary) => Accepts::All,
        None if deserializer.is_human_readable() || is_of_bson::<D>() => Accepts::Text,
        None => Accepts::Binary,
    };
    let visitor = FormVisitor { accepts, types: PhantomData::<(T, B)> };
    match accepts {
        Accepts::TextOrBytes | Accepts::All => deserializer.deserialize_any(visitor),
        // Not `deserialize_any`: CSV and YAML would make a number of a text that has only digits.
        Accepts::Text => deserializer.deserialize_str(visitor),
        Accepts::Binary => B::deserialize(deserializer, visitor),
    }
}

/// Reports whether IDs are written as text, which is the form for people.
#[doc(hidden)]
pub fn takes_text<S: Serializer>(serializer: &S) -> bool {
    serializer.is_human_readable() || is_of_bson::<S>()
}

/// Reports whether a serializer or a deserializer is one of the crate `bson`, or wraps one.
///
/// The crate has two of each. Those for bytes, by which MongoDB's driver inserts and reads, say
/// that they are not human-readable, and those for values, which make filters, say that they are.
/// If an ID had a form for each, no filter would find it, so its form is text in both. The numbers
/// and arrays of the former would not do anyway, since no `_id` is an array.
///
/// As for [`Buffer`], there is no other sign of a format than its names.
fn is_of_bson<T>() -> bool {
    names_bson(type_name::<T>())
}

fn names_bson(name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    name.match_indices("bson::").any(|(start, _)| !name[..start].ends_with(is_word))
}

/// Reads an array of bytes of exactly its length.
///
/// # Errors
/// Returns the error of the deserializer, or an error for any other length.
#[doc(hidden)]
pub fn deserialize_array<'de, B: Binary, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<B, D::Error> {
    B::deserialize(deserializer, ArrayVisitor(PhantomData::<B>))
}

/// One of serde's buffers, which hold flattened, untagged and internally tagged values.
///
/// Buffers report that they are human-readable whatever the format is, so they hold the binary form
/// as well, and an array of bytes as a sequence. Only `deserialize_any` returns that, and with it,
/// formats such as CSV and YAML guess. They turn an unquoted text of digits into a number, whose
/// leading zeros are gone by then, and which is not the ID's integer either. So a number from a
/// buffer counts only if the format is known to write numbers for numbers alone.
///
/// serde has no other sign of a buffer, and of the format behind it, than the names of the
/// deserializer and of its error. If serde or a format renames them, numbers in such positions are
/// refused, and nothing is misread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Buffer {
    /// Of a format in [`BINARY`].
    Binary,
    Unknown,
}

/// The crates of binary formats that describe their values, which serde can buffer.
const BINARY: [&str; 7] =
    ["cbor4ii", "ciborium", "flexbuffers", "minicbor_serde", "pot", "rmp_serde", "serde_cbor"];

impl Buffer {
    pub(super) fn of<D>() -> Option<Self> {
        Self::of_name(type_name::<D>())
    }

    /// `ContentDeserializer<E>` with the error `E`, after lifetimes in some versions of Rust.
    fn of_name(name: &str) -> Option<Self> {
        let (_, generics) = name
            .split_once("ContentDeserializer<")
            .or_else(|| name.split_once("ContentRefDeserializer<"))?;
        let error = generics.trim_start_matches("'_, ");
        let is_binary = error.split_once("::").is_some_and(|(krate, _)| BINARY.contains(&krate));
        Some(if is_binary { Self::Binary } else { Self::Unknown })
    }
}

/// The forms that a visitor accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Accepts {
    Text,
    Binary,
    TextOrBytes,
    All,
}

/// The error of a number, or of a word such as `true`, where a text is needed.
pub(super) fn not_a_text<E: de::Error>(found: Unexpected<'_>) -> E {
    E::custom(format_args!(
        "invalid type: {found}, expected the text of an ID (flattened, untagged and tagged values \
         of formats such as CSV and YAML lose texts that look like numbers: quote the text, or \
         move it out of them)"
    ))
}

struct FormVisitor<T, B> {
    accepts: Accepts,
    types: PhantomData<(T, B)>,
}

impl<T: TryFrom<B, Error: fmt::Display>, B: Binary> FormVisitor<T, B> {
    fn convert<E: de::Error>(binary: B) -> Result<T, E> {
        T::try_from(binary).map_err(E::custom)
    }
}

impl<T, B> FormVisitor<T, B>
where
    T: FromStr<Err: fmt::Display> + TryFrom<B, Error: fmt::Display>,
    B: Binary,
{
    fn number<E: de::Error>(self, value: i128, found: Unexpected<'_>) -> Result<T, E> {
        match self.accepts {
            Accepts::Text | Accepts::TextOrBytes => Err(not_a_text(found)),
            Accepts::Binary | Accepts::All => match B::from_integer(value) {
                Some(binary) => Self::convert(binary),
                None => Err(E::invalid_type(found, &self)),
            },
        }
    }

    fn word<E: de::Error>(self, found: Unexpected<'_>) -> Result<T, E> {
        match self.accepts {
            Accepts::Text | Accepts::TextOrBytes => Err(not_a_text(found)),
            Accepts::Binary | Accepts::All => Err(E::invalid_type(found, &self)),
        }
    }
}

impl<'de, T, B: Binary> Visitor<'de> for FormVisitor<T, B>
where
    T: FromStr<Err: fmt::Display> + TryFrom<B, Error: fmt::Display>,
{
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.accepts {
            Accepts::Text => return f.write_str("the text of an ID"),
            Accepts::Binary => {}
            Accepts::TextOrBytes | Accepts::All => f.write_str("the text of an ID or ")?,
        }
        B::describe(f)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        if self.accepts == Accepts::Binary {
            return Err(E::invalid_type(Unexpected::Str(text), &self));
        }
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<T, E> {
        self.number(value.into(), Unexpected::Unsigned(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<T, E> {
        self.number(value.into(), Unexpected::Signed(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<T, E> {
        self.word(Unexpected::Float(value))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<T, E> {
        self.word(Unexpected::Bool(value))
    }

    fn visit_bytes<E: de::Error>(self, found: &[u8]) -> Result<T, E> {
        match B::array() {
            Some(_) if self.accepts != Accepts::Text => {
                ArrayVisitor(PhantomData).visit_bytes(found).and_then(Self::convert)
            }
            _ => Err(E::invalid_type(Unexpected::Bytes(found), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, found: A) -> Result<T, A::Error> {
        match B::array() {
            Some(_) if self.accepts != Accepts::Text => {
                ArrayVisitor(PhantomData).visit_seq(found).and_then(Self::convert)
            }
            _ => Err(de::Error::invalid_type(Unexpected::Seq, &self)),
        }
    }
}

struct ArrayVisitor<B>(PhantomData<B>);

impl<'de, B: Binary> Visitor<'de> for ArrayVisitor<B> {
    type Value = B;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        B::describe(f)
    }

    fn visit_bytes<E: de::Error>(self, found: &[u8]) -> Result<B, E> {
        let Some(mut array) = B::array() else {
            return Err(E::invalid_type(Unexpected::Bytes(found), &self));
        };
        if array.bytes().len() != found.len() {
            return Err(E::invalid_length(found.len(), &self));
        }
        array.bytes().copy_from_slice(found);
        Ok(array)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, found: A) -> Result<B, A::Error> {
        match B::array() {
            Some(mut array) => {
                read_exactly(array.bytes(), found, &self)?;
                Ok(array)
            }
            None => Err(de::Error::invalid_type(Unexpected::Seq, &self)),
        }
    }
}

/// Fills `bytes` with the elements of `found`, which must be as many.
pub(super) fn read_exactly<'de, A: SeqAccess<'de>>(
    bytes: &mut [u8],
    mut found: A,
    expected: &dyn de::Expected,
) -> Result<(), A::Error> {
    let len = bytes.len();
    for (index, byte) in bytes.iter_mut().enumerate() {
        let next = found.next_element()?;
        *byte = next.ok_or_else(|| de::Error::invalid_length(index, expected))?;
    }
    if found.next_element::<IgnoredAny>()?.is_some() {
        return Err(de::Error::invalid_length(len + 1, expected));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_told_by_their_names() {
        for (name, buffer) in [
            ("serde::private::de::content::ContentDeserializer<csv::error::Error>", "Unknown"),
            (
                "serde::__private229::de::ContentDeserializer<'_, rmp_serde::decode::Error>",
                "Binary",
            ),
            (
                "a::ContentRefDeserializer<'_, '_, ciborium::de::error::Error<std::io::Error>>",
                "Binary",
            ),
            ("a::ContentRefDeserializer<'_, '_, serde_json::error::Error>", "Unknown"),
        ] {
            let found = Buffer::of_name(name).map(|found| std::format!("{found:?}"));
            assert_eq!(found.as_deref(), Some(buffer), "{name}");
        }
        assert_eq!(Buffer::of_name("&mut serde_json::de::Deserializer<StrRead>"), None);
    }

    #[test]
    fn bson_is_told_by_its_name() {
        for name in
            ["bson::ser::raw::Serializer", "&mut bson::ser::raw::Serializer", "a::B<bson::C>"]
        {
            assert!(names_bson(name), "{name}");
        }
        for name in ["postcard::ser::Serializer", "jbson::ser::Serializer", "my_bson::A", "a::bson"]
        {
            assert!(!names_bson(name), "{name}");
        }
    }
}
