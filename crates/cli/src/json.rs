//! JSON objects of strings, integers, booleans, nulls and lists of strings, written straight into a
//! buffer, since `inspect --json` spends its time on that.

/// An object that has yet to be [closed](Self::close).
#[derive(Debug)]
pub(crate) struct Object<'a> {
    out: &'a mut Vec<u8>,
    /// The character before the next name.
    separator: u8,
}

impl<'a> Object<'a> {
    pub(crate) fn open(out: &'a mut Vec<u8>) -> Self {
        Self { out, separator: b'{' }
    }

    /// Neither names nor strings may hold anything that JSON escapes.
    #[inline]
    pub(crate) fn string(&mut self, name: &str, value: &[u8]) {
        self.name(name);
        self.quoted(value);
    }

    /// Writes a string that `write` appends, with nothing that JSON escapes.
    #[inline]
    pub(crate) fn string_by(&mut self, name: &str, write: impl FnOnce(&mut Vec<u8>)) {
        self.name(name);
        self.out.push(b'"');
        write(self.out);
        self.out.push(b'"');
    }

    /// Writes a string that may hold anything.
    pub(crate) fn escaped(&mut self, name: &str, value: &[u8]) {
        if is_plain(value) {
            return self.string(name, value);
        }
        self.name(name);
        let value = serde_json::Value::from(String::from_utf8_lossy(value));
        self.out.extend_from_slice(value.to_string().as_bytes());
    }

    #[inline]
    pub(crate) fn number(&mut self, name: &str, value: i64) {
        self.name(name);
        self.out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    }

    /// Opens a member that is an object, to be closed before the next.
    pub(crate) fn object(&mut self, name: &str) -> Object<'_> {
        self.name(name);
        Object::open(self.out)
    }

    /// Writes a member with an array of strings.
    pub(crate) fn strings(&mut self, name: &str, values: impl IntoIterator<Item: AsRef<[u8]>>) {
        self.name(name);
        self.out.push(b'[');
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            self.quoted(value.as_ref());
        }
        self.out.push(b']');
    }

    pub(crate) fn boolean(&mut self, name: &str, value: bool) {
        self.name(name);
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
    }

    pub(crate) fn null(&mut self, name: &str) {
        self.name(name);
        self.out.extend_from_slice(b"null");
    }

    pub(crate) fn close(self) {
        debug_assert_eq!(self.separator, b',', "an object without members");
        self.out.push(b'}');
    }

    /// Closes an object that is a line.
    #[inline]
    pub(crate) fn close_line(self) {
        debug_assert_eq!(self.separator, b',', "an object without members");
        self.out.extend_from_slice(b"}\n");
    }

    #[inline]
    fn quoted(&mut self, value: &[u8]) {
        debug_assert!(is_plain(value), "{}", value.escape_ascii());
        self.out.reserve(value.len() + 2);
        self.out.push(b'"');
        self.out.extend_from_slice(value);
        self.out.push(b'"');
    }

    #[inline]
    fn name(&mut self, name: &str) {
        debug_assert!(is_plain(name.as_bytes()), "{name}");
        self.out.reserve(name.len() + 4);
        self.out.extend_from_slice(&[self.separator, b'"']);
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.separator = b',';
    }
}

/// Reports whether JSON escapes nothing of a text.
fn is_plain(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_parse() {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.string("a", b"x._ ~");
        object.string("empty", b"");
        object.escaped("escaped", b"\\x\"\n");
        object.escaped("plain", b"plain");
        object.number("least", i64::MIN);
        object.number("most", i64::MAX);
        object.null("nothing");
        object.boolean("yes", true);
        let mut inner = object.object("inner");
        inner.number("number", 7);
        inner.close();
        object.boolean("no", false);
        object.strings("none", [""; 0]);
        object.strings("some", ["a", "", "b c"]);
        object.close();
        let parsed: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let expected = serde_json::json!({
            "a": "x._ ~", "empty": "", "escaped": "\\x\"\n",
            "plain": "plain", "least": i64::MIN, "most": i64::MAX, "nothing": null,
            "yes": true, "inner": {"number": 7}, "no": false,
            "none": [], "some": ["a", "", "b c"],
        });
        assert_eq!(parsed, expected);
    }

    #[test]
    fn escaped_text_is_not_plain() {
        for byte in u8::MIN..=u8::MAX {
            let text = char::from(byte).to_string();
            let is_as_it_is = serde_json::to_string(&text).unwrap() == format!("\"{text}\"");
            // Beyond ASCII one byte is not one character.
            let expected = is_as_it_is && byte.is_ascii() && byte != 0x7f;
            assert_eq!(is_plain(&[byte]), expected, "{byte}");
        }
    }
}
