// Times of IDs in words.

/** The last time that a `Date` holds. */
const LAST = 8_640_000_000_000_000;

/** Returns a time in UTC as the command writes it, or the milliseconds if it has no such form. */
export function utc(unixMs: number): string {
  const is4Digits = unixMs >= -62_167_219_200_000 && unixMs <= 253_402_300_799_999;
  return is4Digits ? new Date(unixMs).toISOString() : `${unixMs} ms since 1970`;
}

/** Returns the name of the zone of this machine. */
export function zone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Returns a time in the zone of this machine, with its offset. */
export function local(unixMs: number): string | null {
  if (Math.abs(unixMs) > LAST) return null;
  const format = new Intl.DateTimeFormat('en', {
    calendar: 'iso8601',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  });
  const parts = new Map(format.formatToParts(unixMs).map(({ type, value }) => [type, value]));
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  const date = `${of('year')}-${of('month')}-${of('day')}`;
  const time = `${of('hour')}:${of('minute')}:${of('second')}.${of('fractionalSecond')}`;
  const offset = of('timeZoneName').replace('GMT', '') || '+00:00';
  return `${date} ${time} ${offset}`;
}

/** Returns the time so many months later, by the calendar. */
function plusMonths(start: Date, months: number): Date {
  const moved = new Date(start);
  moved.setUTCMonth(start.getUTCMonth() + months);
  // A month without the day: its last day.
  if (moved.getUTCDate() !== start.getUTCDate()) moved.setUTCDate(0);
  return moved;
}

/** Returns the time between two in its two largest units: `3 days 4 hours ago`. */
export function age(unixMs: number, now: number): string | null {
  if (Math.abs(unixMs) > LAST) return null;
  const [start, end] = [Math.min(unixMs, now), Math.max(unixMs, now)].map((ms) => new Date(ms)) as [
    Date,
    Date,
  ];
  const years = end.getUTCFullYear() - start.getUTCFullYear();
  let months = 12 * years + end.getUTCMonth() - start.getUTCMonth();
  if (plusMonths(start, months) > end) months -= 1;
  const seconds = Math.floor((end.getTime() - plusMonths(start, months).getTime()) / 1000);
  const counts: [number, string][] = [
    [Math.floor(months / 12), 'year'],
    [months % 12, 'month'],
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor(seconds / 3_600) % 24, 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ];
  const first = counts.findIndex(([count]) => count > 0);
  if (first < 0) return 'now';
  const words = counts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
    .join(' ');
  return unixMs <= now ? `${words} ago` : `in ${words}`;
}

/** Returns the start of a day, and of the next one, in UTC or in the zone of this machine. */
export function day(date: string, isUtc: boolean): [number, number] | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date);
  if (!match) return null;
  const [year, month, dayOfMonth] = match.slice(1).map(Number) as [number, number, number];
  const start = (plus: number) =>
    isUtc
      ? Date.UTC(year, month - 1, dayOfMonth + plus)
      : new Date(year, month - 1, dayOfMonth + plus).getTime();
  return [start(0), start(1)];
}

/** Returns the day of a time. */
export function dateOf(unixMs: number, isUtc: boolean): string {
  const text = isUtc ? utc(unixMs) : (local(unixMs) ?? '');
  return /^\d{4}-\d\d-\d\d/.exec(text)?.[0] ?? '';
}
