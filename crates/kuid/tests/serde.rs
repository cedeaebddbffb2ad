//! IDs, nodes and vector clocks through serde: text where people read, integers or bytes where not.

#![cfg(all(feature = "serde", feature = "alloc"))]

#[cfg(test)]
mod tests {
    use core::fmt::Debug;

    use serde::Deserialize;
    use serde::de::value::{
        Error, SeqDeserializer, StrDeserializer, U32Deserializer, U64Deserializer,
    };
    use serde::de::{DeserializeOwned, Deserializer, Visitor};
    use serde::forward_to_deserialize_any;
    use serde::ser::{Impossible, Serialize, SerializeTuple, Serializer};
    use tickid_kuid::vector_clock::Entry;
    use tickid_kuid::{GlobalId, LocalId, Node, VectorClock, WideGlobalId, global_id, local_id};

    const LOCAL: LocalId = local_id!(".5.tXbhdV.3");
    const GLOBAL: GlobalId = global_id!(".5.tXVEf8n8vPN.0");

    #[test]
    fn text_in_human_readable_formats() {
        assert_json(LOCAL, r#"".5.tXbhdV.3""#);
        assert_json(GLOBAL, r#"".5.tXVEf8n8vPN.0""#);
        assert_json(WideGlobalId::MIN, r#""......................""#);
        assert_json(Node::phash("uid@127.0.0.1"), r#""03eb2732""#);
        let error = serde_json::from_str::<LocalId>(r#"".5.tXbhdV.""#).unwrap_err();
        assert!(error.to_string().contains("not a kuid local ID"), "{error}");
        assert!(serde_json::from_str::<LocalId>("27082559990628353").is_err());
    }

    #[test]
    fn integers_and_bytes_in_binary_formats() {
        assert_eq!(LOCAL.serialize(Binary(())), Ok(vec![0x0060_398a_7b69_8001]));
        let bytes = GLOBAL.to_bytes().map(u64::from);
        assert_eq!(GLOBAL.serialize(Binary(())), Ok(bytes.to_vec()));
        let wide = WideGlobalId::from(0x0102_0304_0506_0708_090a_0b0c_0d0e_0f10);
        assert_eq!(wide.serialize(Binary(())), Ok((1..=16).collect()));
        assert_eq!(Node::from_u32(7).serialize(Binary(())), Ok(vec![7]));

        let integer = U64Deserializer::<Error>::new(LOCAL.get());
        assert_eq!(LocalId::deserialize(Binary(integer)), Ok(LOCAL));
        let bytes = SeqDeserializer::<_, Error>::new(GLOBAL.to_bytes().into_iter());
        assert_eq!(GlobalId::deserialize(Binary(bytes)), Ok(GLOBAL));
        let bytes = SeqDeserializer::<_, Error>::new(wide.to_bytes().into_iter());
        assert_eq!(WideGlobalId::deserialize(Binary(bytes)), Ok(wide));
        let integer = U32Deserializer::<Error>::new(7);
        assert_eq!(Node::deserialize(Binary(integer)), Ok(Node::from_u32(7)));
        let text = StrDeserializer::<Error>::new(".5.tXbhdV.3");
        assert!(LocalId::deserialize(Binary(text)).is_err());
    }

    #[test]
    fn vector_clocks_are_lists_of_pairs_in_their_order() {
        let mut clock = VectorClock::new();
        clock.record("b@host".to_owned(), LOCAL);
        clock.record("a@host".to_owned(), LocalId::MIN);
        let json = r#"[["a@host","..........."],["b@host",".5.tXbhdV.3"]]"#;
        assert_eq!(serde_json::to_string(&clock).unwrap(), json);
        let again: VectorClock<String> = serde_json::from_str(json).unwrap();
        assert_eq!(again.entries(), clock.entries());
        for json in [r#"[["a@host"]]"#, r#"[["a@host","short"]]"#, r#""a@host""#] {
            assert!(serde_json::from_str::<VectorClock<String>>(json).is_err(), "{json}");
        }
        let twice = r#"[["03eb2731","..........3"],["03eb2731","..........."]]"#;
        let clock: VectorClock = serde_json::from_str(twice).unwrap();
        let entry = Entry { node: Node::phash2("uid@127.0.0.1"), id: LocalId::new(1) };
        assert_eq!(clock.entries(), [entry]);
    }

    fn assert_json<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T, json: &str) {
        assert_eq!(serde_json::to_string(&value).unwrap(), json);
        assert_eq!(serde_json::from_str::<T>(json).unwrap(), value);
    }

    /// The least of a format that people do not read.
    struct Binary<D = ()>(D);

    impl<'de, D: Deserializer<'de>> Deserializer<'de> for Binary<D> {
        type Error = D::Error;

        fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.0.deserialize_any(visitor)
        }

        fn is_human_readable(&self) -> bool {
            false
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
            option unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
            ignored_any
        }
    }

    macro_rules! refuse {
        ($($method:ident($value:ty)),*) => {$(
            fn $method(self, _: $value) -> Result<Vec<u64>, Error> {
                refused()
            }
        )*};
    }

    /// Writes integers, and tuples of them, in a list.
    impl Serializer for Binary {
        type Ok = Vec<u64>;
        type Error = Error;
        type SerializeSeq = Impossible<Vec<u64>, Error>;
        type SerializeTuple = Tuple;
        type SerializeTupleStruct = Impossible<Vec<u64>, Error>;
        type SerializeTupleVariant = Impossible<Vec<u64>, Error>;
        type SerializeMap = Impossible<Vec<u64>, Error>;
        type SerializeStruct = Impossible<Vec<u64>, Error>;
        type SerializeStructVariant = Impossible<Vec<u64>, Error>;

        fn is_human_readable(&self) -> bool {
            false
        }

        fn serialize_u8(self, value: u8) -> Result<Vec<u64>, Error> {
            Ok(vec![value.into()])
        }

        fn serialize_u32(self, value: u32) -> Result<Vec<u64>, Error> {
            Ok(vec![value.into()])
        }

        fn serialize_u64(self, value: u64) -> Result<Vec<u64>, Error> {
            Ok(vec![value])
        }

        fn serialize_tuple(self, _: usize) -> Result<Tuple, Error> {
            Ok(Tuple(Vec::new()))
        }

        refuse! {
            serialize_bool(bool), serialize_i8(i8), serialize_i16(i16), serialize_i32(i32),
            serialize_i64(i64), serialize_u16(u16), serialize_f32(f32), serialize_f64(f64),
            serialize_char(char), serialize_str(&str), serialize_bytes(&[u8]),
            serialize_unit_struct(&'static str)
        }

        fn serialize_none(self) -> Result<Vec<u64>, Error> {
            refused()
        }

        fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<Vec<u64>, Error> {
            refused()
        }

        fn serialize_unit(self) -> Result<Vec<u64>, Error> {
            refused()
        }

        fn serialize_unit_variant(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
        ) -> Result<Vec<u64>, Error> {
            refused()
        }

        fn serialize_newtype_struct<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            _: &T,
        ) -> Result<Vec<u64>, Error> {
            refused()
        }

        fn serialize_newtype_variant<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: &T,
        ) -> Result<Vec<u64>, Error> {
            refused()
        }

        fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Error> {
            refused()
        }

        fn serialize_tuple_struct(
            self,
            _: &'static str,
            _: usize,
        ) -> Result<Self::SerializeTupleStruct, Error> {
            refused()
        }

        fn serialize_tuple_variant(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> Result<Self::SerializeTupleVariant, Error> {
            refused()
        }

        fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Error> {
            refused()
        }

        fn serialize_struct(
            self,
            _: &'static str,
            _: usize,
        ) -> Result<Self::SerializeStruct, Error> {
            refused()
        }

        fn serialize_struct_variant(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> Result<Self::SerializeStructVariant, Error> {
            refused()
        }
    }

    fn refused<T>() -> Result<T, Error> {
        Err(serde::ser::Error::custom("neither integer nor tuple"))
    }

    struct Tuple(Vec<u64>);

    impl SerializeTuple for Tuple {
        type Ok = Vec<u64>;
        type Error = Error;

        fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
            self.0.extend(value.serialize(Binary(()))?);
            Ok(())
        }

        fn end(self) -> Result<Vec<u64>, Error> {
            Ok(self.0)
        }
    }
}
