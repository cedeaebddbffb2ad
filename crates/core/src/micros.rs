//! The text of times, for times and for errors about them.

use core::fmt;

use crate::pad::pad;

/// The text of a time in microseconds since 1970, which need not fit [`UnixTime`].
pub(crate) struct Micros(pub(crate) i128);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let precision = f.precision();
        if f.width().is_none() {
            return self.write(f, precision);
        }
        pad(f, |mut out| self.write(&mut out, precision))
    }
}

impl Micros {
    fn write(&self, f: &mut impl fmt::Write, precision: Option<usize>) -> fmt::Result {
        const DAY: i64 = 86_400_000_000;
        /// About 2.5 billion years, which leaves room for the arithmetic of `date`.
        const MAX_DAYS: i64 = 1_000_000_000_000;
        // Divisions of 64 bits are several times as fast.
        let (days, micros) = match i64::try_from(self.0) {
            Ok(time) => (Ok(time.div_euclid(DAY)), Ok(time.rem_euclid(DAY))),
            Err(_) => {
                let day = i128::from(DAY);
                (i64::try_from(self.0.div_euclid(day)), i64::try_from(self.0.rem_euclid(day)))
            }
        };
        let days = days.ok().filter(|days| (-MAX_DAYS..=MAX_DAYS).contains(days));
        let (Some(days), Ok(micros)) = (days, micros) else {
            return write!(f, "{} microseconds since 1970", self.0);
        };
        // RFC 3339 has years of four digits. ISO 8601 has others, with a sign and more digits.
        let (year, month, day) = date(days);
        if !(0..=9_999).contains(&year) {
            write!(f, "{year:+07}")?;
        }
        let seconds = micros / 1_000_000;
        let fraction = micros % 1_000_000;
        // The fraction has as few digits as the time needs, or as many as asked for.
        let digits = match precision {
            Some(digits) => digits.min(6),
            None if fraction == 0 => 0,
            None if fraction % 1_000 == 0 => 3,
            None => 6,
        };
        // The text is one piece: tools that print a time per line spend much of their time here.
        let mut text = *b"0000-00-00T00:00:00.000000Z";
        for (pair, number) in [
            (0, year / 100),
            (2, year % 100),
            (5, month),
            (8, day),
            (11, seconds / 3_600),
            (14, seconds / 60 % 60),
            (17, seconds % 60),
            (20, fraction / 10_000),
            (22, fraction / 100 % 100),
            (24, fraction % 100),
        ] {
            if let Some([tens, ones]) = text.get_mut(pair..pair + 2) {
                // All numbers have two digits, except a year that is left out.
                let number = u8::try_from(number).unwrap_or(0) % 100;
                (*tens, *ones) = (b'0' + number / 10, b'0' + number % 10);
            }
        }
        // The year is left out if it was written before, and the end if it has fewer digits.
        let start = if (0..=9_999).contains(&year) { 0 } else { 4 };
        let end = if digits == 0 { 19 } else { 20 + digits };
        if let Some(last) = text.get_mut(end) {
            *last = b'Z';
        }
        let text = text.get(start..=end).and_then(|text| str::from_utf8(text).ok());
        f.write_str(text.unwrap_or_default())
    }
}

/// Returns the year, month and day of the proleptic Gregorian calendar, `days` after 1970-01-01.
///
/// Years are counted from March here, so that the leap day is a year's last, and in eras of 400
/// years, which all have the same number of days.
const fn date(days: i64) -> (i64, i64, i64) {
    const DAYS_PER_ERA: i64 = 146_097;
    // Days since 0000-03-01.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(DAYS_PER_ERA), days.rem_euclid(DAYS_PER_ERA));
    // Subtract the leap days before: one after 4 years, none after 100, one after 400.
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Five months from March or August on have 153 days.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next_year, month, day)
}
