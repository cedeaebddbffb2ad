//! JSON objects of strings, integers, booleans, nulls and lists of strings, written straight into a
//! buffer, since `inspect --json` spends its time on that.

/// An object that has yet to be [closed](Self::close).
#[derive(Debug)]
pub(crate) struct Object<'a> {
    out: &'a mut Vec<u8>,
    /// The character before the next name.
    separator: u8,
}

/// The most bytes of a name with the characters around it that are copied at once.
const PIECE: usize = 32;

/// The two digits of each number below 100.
pub(crate) const TWO_DIGITS: [[u8; 2]; 100] = {
    let mut all = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        #[allow(clippy::cast_possible_truncation, reason = "below 100")]
        let (tens, ones) = (number as u8 / 10, number as u8 % 10);
        all[number] = [b'0' + tens, b'0' + ones];
        number += 1;
    }
    all
};

impl<'a> Object<'a> {
    #[inline]
    pub(crate) fn open(out: &'a mut Vec<u8>) -> Self {
        Self { out, separator: b'{' }
    }

    /// Opens the part of an object after its first member, to be [appended](Self::append) to one.
    pub(crate) fn part(out: &'a mut Vec<u8>) -> Self {
        Self { out, separator: b',' }
    }

    /// Appends a part to an object that has members.
    #[inline]
    pub(crate) fn append(&mut self, part: &[u8]) {
        debug_assert_eq!(self.separator, b',', "an object without members");
        self.out.extend_from_slice(part);
    }

    /// Neither names nor strings may hold anything that JSON escapes.
    #[inline(always)]
    pub(crate) fn string(&mut self, name: &str, value: &[u8]) {
        debug_assert!(is_plain(value), "{}", value.escape_ascii());
        self.string_by(name, |out| out.extend_from_slice(value));
    }

    /// Writes a string that `write` appends, with nothing that JSON escapes.
    #[inline(always)]
    pub(crate) fn string_by(&mut self, name: &str, write: impl FnOnce(&mut Vec<u8>)) {
        self.name(name, b"\":\"");
        write(self.out);
        self.out.push(b'"');
    }

    /// Writes a string that may hold anything.
    pub(crate) fn escaped(&mut self, name: &str, value: &[u8]) {
        if is_plain(value) {
            return self.string(name, value);
        }
        self.name(name, b"\":");
        let value = serde_json::Value::from(String::from_utf8_lossy(value));
        self.out.extend_from_slice(value.to_string().as_bytes());
    }

    #[inline(always)]
    pub(crate) fn number(&mut self, name: &str, value: i64) {
        self.name(name, b"\":");
        let pair = |number: u16| TWO_DIGITS[usize::from(number)];
        // Many are small, and a copy of a constant number of bytes takes less time.
        match u16::try_from(value) {
            Ok(one @ 0..10) => self.out.push(pair(one)[1]),
            Ok(two @ 10..100) => self.out.extend_from_slice(&pair(two)),
            Ok(three @ 100..1_000) => {
                let ([_, first], [second, third]) = (pair(three / 100), pair(three % 100));
                self.out.extend_from_slice(&[first, second, third]);
            }
            Ok(four @ 1_000..10_000) => {
                self.out.extend_from_slice([pair(four / 100), pair(four % 100)].as_flattened());
            }
            _ => self.out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
        }
    }

    /// Opens a member that is an object, to be closed before the next.
    pub(crate) fn object(&mut self, name: &str) -> Object<'_> {
        self.name(name, b"\":");
        Object::open(self.out)
    }

    /// Writes a member with an array of strings.
    pub(crate) fn strings(&mut self, name: &str, values: impl IntoIterator<Item: AsRef<[u8]>>) {
        self.name(name, b"\":[");
        for (index, value) in values.into_iter().enumerate() {
            let value = value.as_ref();
            debug_assert!(is_plain(value), "{}", value.escape_ascii());
            self.out.extend_from_slice(if index > 0 { b",\"" } else { b"\"" });
            self.out.extend_from_slice(value);
            self.out.push(b'"');
        }
        self.out.push(b']');
    }

    pub(crate) fn boolean(&mut self, name: &str, value: bool) {
        self.name(name, if value { b"\":true" } else { b"\":false" });
    }

    pub(crate) fn null(&mut self, name: &str) {
        self.name(name, b"\":null");
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

    /// Writes a name, and what follows it from its quotation mark on.
    ///
    /// With names that are constants this is a few stores of constants and one check of the
    /// buffer's capacity. With several checks, and calls to copy a few bytes each, names take a
    /// third of the time of a line.
    #[inline(always)]
    fn name(&mut self, name: &str, end: &[u8]) {
        debug_assert!(is_plain(name.as_bytes()), "{name}");
        let (start, len) = (name.len() + 2, name.len() + 2 + end.len());
        if len <= PIECE {
            let mut piece = [0; PIECE];
            (piece[0], piece[1]) = (self.separator, b'"');
            piece[2..start].copy_from_slice(name.as_bytes());
            piece[start..len].copy_from_slice(end);
            self.out.extend_from_slice(&piece[..len]);
        } else {
            self.out.extend_from_slice(&[self.separator, b'"']);
            self.out.extend_from_slice(name.as_bytes());
            self.out.extend_from_slice(end);
        }
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
        let mut part = Vec::new();
        Object::part(&mut part).number("part", 1);
        object.append(&part);
        object.close();
        let parsed: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let expected = serde_json::json!({
            "a": "x._ ~", "empty": "", "escaped": "\\x\"\n",
            "plain": "plain", "least": i64::MIN, "most": i64::MAX, "nothing": null,
            "yes": true, "inner": {"number": 7}, "no": false,
            "none": [], "some": ["a", "", "b c"], "part": 1,
        });
        assert_eq!(parsed, expected);
    }

    #[test]
    fn numbers_are_written_as_by_std() {
        let mut expected = String::new();
        let mut out = Vec::new();
        for number in (-20..=11_000).chain([i64::MIN, -100, 65_535, 65_536, 1 << 40, i64::MAX]) {
            expected += &format!(",\"n\":{number}");
            Object::part(&mut out).number("n", number);
        }
        assert_eq!(String::from_utf8(out).unwrap(), expected);
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
