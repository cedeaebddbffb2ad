//! The form of IDs that serde chooses by itself: text for people, integers or bytes for machines.

use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;

use serde::de::{self, Deserializer, IgnoredAny, SeqAccess, Unexpected, Visitor};
use serde::ser::Serialize;

/// An integer or an array of bytes, as which binary formats hold an ID.
pub trait Binary: Serialize + Sized {
    /// Has `deserializer` read such a value.
    ///
    /// # Errors
    /// The deserializer's and the visitor's.
    fn deserialize<'de, D: Deserializer<'de>, V: Visitor<'de>>(
        deserializer: D,
        visitor: V,
    ) -> Result<V::Value, D::Error>;

    /// Describes the value in an error.
    ///
    /// # Errors
    /// The formatter's.
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

    /// Returns the bytes of an array; none of an integer.
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

/// Reads an ID: from its text in formats for people, from its binary form in others, and from
/// either where serde has buffered it.
///
/// # Errors
/// Returns the deserializer's error, or the reason why the value read is no ID.
pub fn deserialize<'de, T, B, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: fmt::Display> + TryFrom<B, Error: fmt::Display>,
    B: Binary,
    D: Deserializer<'de>,
{
    let is_buffer = is_buffer::<D>();
    let reads_text = is_buffer || deserializer.is_human_readable();
    let visitor = FormVisitor { reads_text, types: PhantomData::<(T, B)> };
    if is_buffer {
        deserializer.deserialize_any(visitor)
    } else if reads_text {
        // Not `deserialize_any`: CSV and YAML would make an integer of a text that has only digits.
        deserializer.deserialize_str(visitor)
    } else {
        B::deserialize(deserializer, visitor)
    }
}

/// Reads an array of bytes of exactly its length.
///
/// # Errors
/// The deserializer's, and an invalid length.
pub fn deserialize_array<'de, B: Binary, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<B, D::Error> {
    B::deserialize(deserializer, ArrayVisitor(PhantomData::<B>))
}

/// Reports whether `D` reads from one of serde's buffers, in which it keeps what is flattened,
/// untagged or internally tagged.
///
/// Buffers report that they are human-readable whatever the format is, so they hold the binary form
/// as well, and an array of bytes as a sequence. Only `deserialize_any` returns that (for integers,
/// `deserialize_identifier` would do), which formats such as CSV and YAML cannot be asked for, as
/// above. serde has no other sign of a buffer than its type's name. If serde renames them, IDs in
/// such positions cannot be read from binary formats any more; nothing is misread.
pub(super) fn is_buffer<D>() -> bool {
    let name = type_name::<D>();
    name.contains("ContentDeserializer") || name.contains("ContentRefDeserializer")
}

struct FormVisitor<T, B> {
    reads_text: bool,
    types: PhantomData<(T, B)>,
}

impl<T: TryFrom<B, Error: fmt::Display>, B: Binary> FormVisitor<T, B> {
    fn convert<E: de::Error>(binary: B) -> Result<T, E> {
        T::try_from(binary).map_err(E::custom)
    }
}

impl<'de, T, B: Binary> Visitor<'de> for FormVisitor<T, B>
where
    T: FromStr<Err: fmt::Display> + TryFrom<B, Error: fmt::Display>,
{
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.reads_text {
            f.write_str("the text of an ID or ")?;
        }
        B::describe(f)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        if self.reads_text {
            text.parse().map_err(E::custom)
        } else {
            Err(E::invalid_type(Unexpected::Str(text), &self))
        }
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<T, E> {
        match B::from_integer(value.into()) {
            Some(binary) => Self::convert(binary),
            None => Err(E::invalid_type(Unexpected::Unsigned(value), &self)),
        }
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<T, E> {
        match B::from_integer(value.into()) {
            Some(binary) => Self::convert(binary),
            None => Err(E::invalid_value(Unexpected::Signed(value), &self)),
        }
    }

    fn visit_bytes<E: de::Error>(self, found: &[u8]) -> Result<T, E> {
        match B::array() {
            Some(_) => ArrayVisitor(PhantomData).visit_bytes(found).and_then(Self::convert),
            None => Err(E::invalid_type(Unexpected::Bytes(found), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, found: A) -> Result<T, A::Error> {
        match B::array() {
            Some(_) => ArrayVisitor(PhantomData).visit_seq(found).and_then(Self::convert),
            None => Err(de::Error::invalid_type(Unexpected::Seq, &self)),
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
