// The meaning of the bit fields.

import type { Description, Kind, Layouts } from 'tickid';

import { utc } from './time.ts';

/** The epoch without a choice, Twitter's. */
const TWITTER = 1_288_834_974_657;

export const KINDS: [Kind, string][] = [
  ['scru64', 'SCRU64'],
  ['nanoflake', 'Nanoflake'],
  ['kuid-local', 'kuid, local'],
  ['kuid-global', 'kuid, global'],
  ['sno', 'sno'],
];

const COUNT = 'distinguishes the IDs of one tick';
const VERSION = 'the version of the UUID';
const VARIANT = '2 stands for RFC 9562';
const RANDOM = 'random bits';
const HASH = 'bits of a hash of a name';
const CUSTOM = 'bits with a meaning of the program’s own';
const GREGORIAN = 'of a time in 100 ns since 1582-10-15';

/** By format and field, and by field for all other formats. */
const WORDS: Record<string, string> = {
  unused: 'always 0',
  sequence: COUNT,
  random: RANDOM,
  version: VERSION,
  variant: VARIANT,
  'scru64 timestamp': 'ticks of 256 ms since 1970',
  'scru64 node_ctr': 'the node ID and the counter; set the bits of the node ID to split them',
  'scru64 node_id': 'the generator',
  'scru64 counter': COUNT,
  'nanoflake datacenter': 'the high half of the generator ID',
  'nanoflake worker': 'the low half of the generator ID',
  'kuid a': 'millions of seconds since 1970',
  'kuid b': 'seconds after a',
  'kuid b_high': 'the high bits of the seconds after a',
  'kuid b_low': 'the low bits of the seconds after a, as many as the drift',
  'kuid c': 'steps of 1,024 µs in the second',
  'kuid node': 'the fingerprint of the node’s name',
  'sno timestamp': 'ticks of 4 ms since 2010',
  'sno toggle': 'the tick-tock bit, which changes when the clock goes back',
  'sno meta': 'the metabyte, of the program’s own choice',
  'sno partition': 'the generator',
  'twitter timestamp': 'milliseconds since 2010-11-04T01:42:54.657Z',
  'twitter datacenter': 'the data centre of the generator',
  'twitter worker': 'the generator in its data centre',
  'discord timestamp': 'milliseconds since 2015',
  'discord worker': 'the internal worker',
  'discord process': 'the internal process',
  'discord increment': 'counts the IDs of the process',
  'instagram timestamp': 'milliseconds since 2011-08-24T21:07:01.721Z',
  'instagram shard': 'the logical shard of the database',
  'mastodon timestamp': 'milliseconds since 1970',
  'mastodon sequence': 'starts at random in each millisecond',
  'sonyflake timestamp': 'units of 10 ms since 2014-09-01',
  'sonyflake-v2 timestamp': 'units of 10 ms since 2025',
  'sonyflake machine': 'the generator, mostly the end of its IP address',
  'sonyflake-v2 machine': 'the generator, mostly the end of its IP address',
  'pgedge timestamp': 'milliseconds since 2023',
  'pgedge counter': COUNT,
  'pgedge node': 'the node of the cluster',
  'ulid timestamp': 'milliseconds since 1970',
  'ksuid timestamp': 'seconds since 2014-05-13T16:53:20Z',
  'xid timestamp': 'seconds since 1970',
  'xid machine': 'bits of a hash of the machine’s name',
  'xid process': 'the number of the process',
  'xid counter': 'counts on from a random start',
  'objectid timestamp': 'seconds since 1970',
  'objectid random': 'random bits of the process',
  'objectid counter': 'counts on from a random start',
  timestamp: 'milliseconds since 1970',
  time_low: `the low bits ${GREGORIAN}`,
  time_mid: `the middle bits ${GREGORIAN}`,
  time_high: `the high bits ${GREGORIAN}`,
  clock_seq: 'the clock sequence, which changes when the clock goes back',
  'uuid node': 'the generator: a MAC address, or random',
  'typeid node': 'the generator: a MAC address, or random',
  rand_a: 'random bits, or the fraction of the millisecond',
  rand_b: RANDOM,
  random_a: RANDOM,
  random_b: RANDOM,
  random_c: RANDOM,
  hash_high: HASH,
  hash_mid: HASH,
  hash_low: HASH,
  custom_a: CUSTOM,
  custom_b: CUSTOM,
  custom_c: CUSTOM,
  bits: 'all bits',
};

/** Returns the meaning of a field. */
export function meaning({ format }: Description, field: string, layouts: Layouts): string {
  if (format === 'nanoflake' && field === 'timestamp') {
    return `milliseconds since ${utc(Number(layouts.epoch ?? TWITTER))}`;
  }
  return WORDS[`${format} ${field}`] ?? WORDS[field] ?? '';
}

/** Returns a field's name for people. */
export function title(field: string): string {
  const words = field.replaceAll('_', ' ').replace(/\bid\b/, 'ID');
  return field === 'node_ctr' ? 'node and counter' : words;
}
