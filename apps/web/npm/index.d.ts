/**
 * Time-ordered identifiers: what an ID is, its text and bytes, conversions between schemes, and new
 * IDs.
 *
 * IDs are `bigint`s: a `number` would lose their last digits, and is refused with a `TypeError`.
 * A value that does not fit throws a `RangeError`, and a text that is not an ID a `SyntaxError`.
 * Both name the value.
 */

/** A scheme. kuid's two kinds of IDs are two. */
export type Kind = 'scru64' | 'nanoflake' | 'kuid-local' | 'kuid-global' | 'sno' | 'snowflake';

/** A kind of IDs, as `kinds` lists them. */
export interface KindInfo {
  kind: Kind;
  /** The name in words, as in `kuid local`. */
  name: string;
  /** The bits of the node; 0 if there is none, or if a layout decides. */
  nodeBits: number;
  sequenceBits: number;
  /** The options for what the bits do not say. */
  options: LayoutOption[];
}

/** One of the options in `Settings`. */
export interface LayoutOption {
  /** The name in JavaScript, as in `nodeSize`. */
  key: string;
  /** The name on the command line, as in `node-size`. */
  name: string;
  /** The values, in short. */
  values: string;
  /** The meaning, as a phrase. */
  about: string;
  /** `true` if the value may be a time in milliseconds since 1970. */
  isTime: boolean;
}

/** Returns the kinds of IDs that can be made, under some settings. */
export function kinds(options?: Settings): KindInfo[];

/** A format of other systems whose IDs are integers, with a time, a node and a sequence. */
export type Foreign =
  | 'twitter'
  | 'discord'
  | 'instagram'
  | 'mastodon'
  | 'sonyflake'
  | 'sonyflake-v2'
  | 'pgedge'
  | 'unix-epoch'
  | 'tsid'
  | 'js-safe'
  | 'baidu';

/**
 * A layout of Snowflakes: a name, or a text as `39x10ms/8s/16n@2014-09-01`, which has the fields
 * from high to low and the epoch. Where a kind is asked for, it stands for Snowflakes of it.
 */
export type Layout = Exclude<Foreign, 'mastodon'> | `${number}x${string}`;

/** A format that `inspect` reads. */
export type Format =
  | 'scru64'
  | 'nanoflake'
  | 'kuid'
  | 'sno'
  | 'snowflake'
  | 'uuid'
  | 'ulid'
  | 'ksuid'
  | 'typeid'
  | 'xid'
  | 'objectid'
  | 'tid'
  | 'tiktok'
  | 'instagram-code'
  | 'unique-rowid'
  | 'nextcloud'
  | 'unix-time'
  | Foreign;

/** What the bits of an ID do not say. */
export interface Settings {
  /** Nanoflake's epoch in milliseconds since 1970, or by name; Twitter's by default. */
  epoch?: number | bigint | 'twitter' | 'discord' | 'unix';
  /** The bits of the node ID in a SCRU64 ID, 1 to 23; unknown by default. */
  nodeSize?: number;
  /** The drift of global kuids, 5 to 10; 8 by default. */
  drift?: number;
  /** The layout of Snowflakes; Twitter's by default. */
  layout?: Layout;
}

/** Consecutive bits of an ID. */
export interface Span {
  /** The number of bits above. */
  start: number;
  bits: number;
}

/** One of the fields that the bits of an ID consist of. */
export interface Field extends Span {
  name: string;
  value: bigint;
  /** The meaning, as a phrase. */
  meaning: string;
  /** `true` if the value is written in hexadecimal, such as a fingerprint. */
  isHex: boolean;
  /** `true` if the fields after it divide its bits. The others are all bits, each once. */
  isDivided: boolean;
  /** The places of its bits, the highest first: one, or two if its low bits are elsewhere. */
  spans: Span[];
}

/** A fact that is not in the bits of an ID, such as Nanoflake's epoch. */
export interface Setting {
  name: string;
  value: string;
  /** The meaning, as a phrase. */
  meaning: string;
}

/** An ID taken apart. */
export interface Description {
  format: Format;
  /** The scheme, if the ID is of one: it can be printed, and ranges made of its kind. */
  kind: Kind | null;
  /** The name by which `convert` takes the ID, if it has a node and a sequence. */
  source: Kind | Foreign | null;
  /** The way to make ranges of such IDs; `null` if there is none. */
  range: RangeOf | null;
  /** The format in words, as in `kuid global in URL-safe Base64`. */
  name: string;
  /** The canonical text. */
  text: string;
  /** The bytes as an unsigned integer. */
  id: bigint;
  /** The bytes as hexadecimal digits. */
  hex: string;
  /** The bytes, the highest first. */
  bytes: Uint8Array;
  /** The time of the ID in milliseconds since 1970, if the format has one. */
  unixMs: number | null;
  /** The same in RFC 3339; `null` also outside the years 0 to 9999. */
  time: string | null;
  /** The node, if the format has one and the settings determine it. */
  node: bigint | null;
  /** The sequence, if the format has one and the settings determine it. */
  sequence: bigint | null;
  /** The fields, the highest first. */
  fields: Field[];
  /** What the bits do not say. */
  settings: Setting[];
  /** The forms as text, each with its name. Several may be the same text. */
  forms: { name: string; text: string }[];
}

/** The way to make ranges of some IDs. */
export interface RangeOf {
  /** The name by which `range` and `print` take the IDs. */
  of: Kind | Layout;
  /** The forms in which the IDs sort as they do in a range. */
  forms: ('int' | 'text' | 'hex')[];
  /** The reason why a range has IDs of other times, as a sentence. */
  note: string | null;
}

/** A text as an ID of one format. */
export interface Reading extends Description {
  /** The form in which the text holds the ID. */
  form: 'text' | TextForm | 'int' | 'hex' | 'bytes' | 'tuple';
  /** `true` if a UUID holds the ID. */
  isInUuid: boolean;
  /**
   * The confidence that the text is an ID of the format: `certain` with marks that other texts
   * lack, `likely` for a text that is rarely anything else, and `possible` if it merely fits.
   */
  confidence: 'certain' | 'likely' | 'possible';
  /** The features of the text that match the format. */
  reason: string;
  /** The reason why the reading is no more than possible. */
  doubt: string | null;
}

/** Every reading of a text. */
export interface Inspection {
  /** The text without the spaces, quotation marks and commas around it. */
  text: string;
  /** `true` if one reading, and no other, is certain or likely. */
  isClear: boolean;
  /** The number of readings that are certain or likely. */
  likely: number;
  /**
   * What a program has done to a number, and what to do about it: rounded it, as spreadsheets do, or
   * held it as a floating-point number. `null` if its notation shows nothing.
   */
  damage: string | null;
  /** The readings, likeliest first, up to the limit; none for a text that is not an ID. */
  readings: Reading[];
}

/** The options of `inspect`. */
export interface InspectOptions extends Settings {
  /** The time by which readings are judged, in milliseconds since 1970; by default the clock's. */
  now?: number | bigint;
  /** The largest number of readings to return; all by default. Each takes time to make. */
  limit?: number;
}

/**
 * Returns every reading of a text, likeliest first.
 *
 * @example
 * inspect('0u375nxqh5cq').readings[0].name // 'SCRU64'
 */
export function inspect(text: string | bigint, options?: InspectOptions): Inspection;

/** An ID in a text. */
export interface Find extends Inspection {
  /** The index of its first character in the text. */
  start: number;
  /** The index after its last character. */
  end: number;
}

/**
 * Returns the IDs in a text, such as a line of a log or a URL, in the order in which they stand.
 * Each is certain or likely, and something other than a letter or a digit stands on both sides.
 *
 * @example
 * find('GET /orders/0u375nxqh5cq 200')[0].start // 12
 */
export function find(text: string, options?: InspectOptions): Find[];

/** The texts of a column that have one format. */
export interface SummaryRow {
  /** The format, or `null` for texts that are not IDs. */
  format: Format | null;
  /** The name of the format, or `no ID`. */
  title: string;
  /** The number of texts. */
  lines: number;
  /** The earliest time in milliseconds since 1970, if the format has times. */
  firstMs: number | null;
  /** The latest time. */
  lastMs: number | null;
  /** Other formats that all of these texts fit as well. */
  also: { format: Format; title: string }[];
}

/** The texts of a column, each inspected, and a summary of them. */
export interface Column {
  inspections: Inspection[];
  /** The formats, the most frequent first, and the texts that are not IDs. */
  summary: SummaryRow[];
}

/** The options of `column`. */
export interface ColumnOptions extends InspectOptions {
  /** The number of texts at the start whose inspections are left out; none by default. */
  skip?: number;
}

/**
 * Inspects texts that come from one column, as lines of `tickid inspect` and its `--summary`. One
 * integer is often ambiguous, but the first ten texts decide together for all of them.
 *
 * @example
 * column(['0u375nxqh5cq', '0u375nxqh5cr']).summary[0].lines // 2
 */
export function column(texts: (string | bigint)[], options?: ColumnOptions): Column;

/**
 * Takes an ID of a known scheme or format apart.
 *
 * @example
 * describe('discord', 175928847299117063n).unixMs // 1462015105796
 */
export function describe(
  format: Kind | Foreign | Layout,
  id: bigint,
  options?: Settings,
): Description;

/**
 * A text of a scheme's IDs by its name. SCRU64 and Nanoflake have `base36`, Nanoflake and
 * Snowflake `decimal`, kuid `sortable` and `url`, and sno `base32`.
 */
export type TextForm = 'base36' | 'decimal' | 'sortable' | 'url' | 'base32';

/**
 * A form of IDs as text. `text` is the scheme's canonical one; `int` is the integer in decimal;
 * `hex` has all digits of all bytes; `uuid` is a UUID of version 8 that holds the ID, and `uuid-v7` one of
 * version 7, which sorts by time across schemes and depends on the settings.
 */
export type Form = 'text' | TextForm | 'int' | 'hex' | 'uuid' | 'uuid-v7';

/**
 * Reads the text of an ID. The form `uuid` reads both versions.
 *
 * @example
 * parse('sno', 'brpk4q72xwf2m63l') // 370319150784128896960325n
 */
export function parse(
  kind: Kind | Layout,
  text: string,
  form?: Exclude<Form, 'uuid-v7'>,
  options?: Settings,
): bigint;

/**
 * Writes the text of an ID.
 *
 * @example
 * print('nanoflake', 36n) // '10'
 */
export function print(
  kind: Kind | Layout,
  id: bigint,
  form?: Form,
  options?: Settings,
): string;

/** Returns the bytes of an ID, the highest first. */
export function toBytes(kind: Kind | Layout, id: bigint): Uint8Array;

/** Reads the bytes of an ID, the highest first. */
export function fromBytes(kind: Kind | Layout, bytes: Uint8Array): bigint;

/** The options of a conversion. */
export interface ConvertOptions {
  /** The settings of the old ID. */
  source?: Settings;
  /** The settings of the new ID. */
  target?: Settings;
  /**
   * The node of the new ID: the old one, which is an error where it does not fit (`keep`, the
   * default), its low or high bits, or this one.
   */
  nodes?: 'keep' | 'low-bits' | 'high-bits' | number | bigint;
  /** The metabyte of a sno ID made of an ID that has none. */
  metabyte?: number;
}

/** The information about an ID that its conversion lost. */
export interface Loss {
  /** The difference by which the new ID's time is earlier. */
  timeMicros: number | null;
  /** The node, if it is another or gone. */
  node: { from: bigint; to: bigint | null } | null;
  /** The number and the value of the low bits that were cut off the sequence. */
  sequence: { bits: number; value: bigint } | null;
  /** The metabyte, if it was dropped. */
  metabyte: number | null;
  /** `true` if a tick-tock bit that was set was dropped. */
  toggle: boolean;
  /** `true` if nothing was lost. */
  isNone: boolean;
  /** `true` if `restore` returns the old ID. */
  isRestorable: boolean;
  /** The losses in words. */
  text: string;
}

/** An ID made of one of another scheme. */
export interface Converted {
  id: bigint;
  text: string;
  loss: Loss;
}

/**
 * Converts an ID to another scheme. The order of IDs of one node is kept: if a < b, the new IDs are
 * a ≤ b.
 *
 * @example
 * convert('discord', 'sno', 175928847299117063n).loss.text // 'nothing'
 */
export function convert(
  from: Kind | Foreign | Layout,
  to: Kind | Layout,
  id: bigint,
  options?: ConvertOptions,
): Converted;

/** Reverses a conversion: returns the ID that became this one under the same options. */
export function restore(
  from: Kind | Layout,
  to: Kind | Layout,
  converted: bigint,
  options?: ConvertOptions,
): bigint;

/**
 * Returns the two ends of a `BETWEEN`: the lowest and the highest ID that show a time from `since`
 * to before `until`, in milliseconds since 1970. An ID shows the start of its tick, so consecutive
 * ranges neither overlap nor leave a gap, except those of global kuids, which sort by node first.
 * It takes the same formats as the command. Of those that are no integers, the ends are texts.
 */
export function range(
  of: Kind | Layout | 'mastodon' | 'tiktok' | 'unique-rowid' | 'nextcloud',
  since: number | bigint,
  until: number | bigint,
  options?: Settings,
): { min: bigint; max: bigint };
export function range(
  of: 'uuid-v7' | 'ulid' | 'ksuid' | 'xid' | 'objectid' | 'tid',
  since: number | bigint,
  until: number | bigint,
): { min: string; max: string };

/** The fields of a sample. */
export interface SampleOptions extends Settings {
  /** Milliseconds since 1970; by default the clock's. */
  unixMs?: number | bigint;
  /** 0 by default. */
  node?: number;
  /** 0 by default. */
  sequence?: number;
}

/**
 * Returns an ID with given fields, for examples and tests. Nothing makes it unique.
 */
export function sample(kind: Kind | Layout, options?: SampleOptions): bigint;

/** A time. */
export interface Instant {
  unix_ms: number;
  /** In RFC 3339; `null` outside the years 0 to 9999. */
  time: string | null;
}

/** A layout of Snowflakes taken apart, with the members of `tickid layout --json`. */
export interface LayoutCard {
  /** The text of the layout. */
  layout: string;
  /** The names; none unless it is a known one. */
  names: string[];
  /** The name of the IDs in words. */
  title: string | null;
  /** The bits that are used. */
  bits: number;
  /** The fields over 64 bits, the highest first. */
  fields: { name: string; start: number; bits: number; meaning: string }[];
  /** The microseconds of a tick. */
  tick_us: number;
  /** The first time. */
  first: Instant;
  /** The start of the last tick. */
  last: Instant;
  /** The time between them, as in `139 years`. */
  span: string;
  nodes: number;
  /** Of one node. */
  ids_per_tick: number;
  /** Of one node. */
  ids_per_second: number;
  /** The time from which on a `number` rounds IDs; `null` if it holds all. */
  javascript_until: Instant | null;
  /** The time from which on signed columns show IDs as negative; `null` if they show none so. */
  signed_until: Instant | null;
  /** The reasons to take care, each with a name and a sentence. */
  warnings: { kind: string; text: string }[];
}

/**
 * Returns the card of a layout of Snowflakes: its years, nodes, rates and limits.
 *
 * @example
 * layout('39x10ms/8s/16n@2014-09-01').span // '174 years'
 */
export function layout(spec: Layout): LayoutCard;

/** Returns the cards of the layouts that have names. */
export function presets(): LayoutCard[];

/** An ID as generators return it: a `bigint` of up to 64 bits, or the text of a longer ID. */
export type Generated<K extends Kind | Layout> = K extends 'kuid-global' | 'sno' ? string : bigint;

/** The options of a generator. */
export type GeneratorOptions<K extends Kind | Layout> = Settings &
  (K extends 'kuid-local'
    ? unknown
    : {
        /**
         * The node. No two generators may have the same one at the same time, in whichever
         * process: they would issue the same IDs.
         */
        node: number;
      }) &
  (K extends 'scru64' ? { nodeSize: number } : unknown) &
  (K extends 'sno' ? { metabyte?: number } : unknown);

/** The error of a generator that cannot issue an ID now. */
export interface GenerateError extends Error {
  name: 'GenerateError';
  /** The time after which to call again; absent if waiting does not help. */
  retryAfterMs?: number;
}

/**
 * Issues the IDs of one node, each greater than the one before, by the system's clock. When the
 * clock goes back, it continues or refuses as the scheme does. Build one for each node and process,
 * and keep it: one that is built for each ID issues the same IDs again.
 *
 * @example
 * const generator = new IdGenerator('nanoflake', { node: 7 });
 * generator.generate() // 2092571029168615424n
 */
export class IdGenerator<K extends Kind | Layout> {
  constructor(kind: K, options: GeneratorOptions<K>);

  /** Issues an ID without waiting, or throws a `GenerateError`. */
  generate(): Generated<K>;

  /**
   * Issues an ID, and waits where `generate` would throw a `retryAfterMs`, for at most `maxWaitMs`
   * altogether: a minute by default.
   */
  next(maxWaitMs?: number): Promise<Generated<K>>;
}
