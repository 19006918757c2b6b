// SPDX-License-Identifier: Apache-2.0
import { StepError } from '../run/step-error.ts';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
export const DEFAULT_FORMAT = 'yyyy-MM-ddTHH:mm:ssZ';
const TOKENS = /yyyy|MMMM|MMM|MM|dddd|ddd|dd|HH|hh|mm|ss|fff|tt|yy|'[^']*'/g;
const two = (value: number): string => String(value).padStart(2, '0');

const WRITE: Readonly<Record<string, (at: Date) => string>> = {
  yyyy: (at) => String(at.getUTCFullYear()).padStart(4, '0'),
  yy: (at) => two(at.getUTCFullYear() % 100),
  MMMM: (at) => MONTHS[at.getUTCMonth()] ?? '',
  MMM: (at) => (MONTHS[at.getUTCMonth()] ?? '').slice(0, 3),
  MM: (at) => two(at.getUTCMonth() + 1),
  dddd: (at) => DAYS[at.getUTCDay()] ?? '',
  ddd: (at) => (DAYS[at.getUTCDay()] ?? '').slice(0, 3),
  dd: (at) => two(at.getUTCDate()),
  HH: (at) => two(at.getUTCHours()),
  hh: (at) => two(at.getUTCHours() % 12 || 12),
  mm: (at) => two(at.getUTCMinutes()),
  ss: (at) => two(at.getUTCSeconds()),
  fff: (at) => String(at.getUTCMilliseconds()).padStart(3, '0'),
  tt: (at) => (at.getUTCHours() < 12 ? 'AM' : 'PM'),
};

/**
 * A moment in UTC. In a format, `yyyy MM dd HH mm ss fff` and similar letters are parts, and a text in single quotes is
 * literal.
 * @throws StepError beyond the years 0 to 9999
 */
export function formatTime(ms: number, format = DEFAULT_FORMAT): string {
  const at = new Date(ms);
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() < 0 || at.getUTCFullYear() > 9999)
    throw new StepError('the time is beyond the years 0 to 9999');
  return format.replaceAll(TOKENS, (token) => WRITE[token]?.(at) ?? token.slice(1, -1));
}

const READ: Readonly<Record<string, string>> = {
  yyyy: '[0-9]{4}',
  MM: '[0-9]{2}',
  dd: '[0-9]{2}',
  HH: '[0-9]{2}',
  mm: '[0-9]{2}',
  ss: '[0-9]{2}',
  fff: '[0-9]{3}',
};

/**
 * Seconds since the epoch of a date: ISO 8601 (UTC unless it has a zone), or by a format.
 * @throws StepError
 */
export function parseTime(source: string, format?: string): number {
  const ms = format === undefined ? isoTime(source.trim()) : formattedTime(source.trim(), format);
  if (ms === null) throw new StepError(`it is no date${format === undefined ? ' of ISO 8601' : ' of that format'}`);
  return Math.floor(ms / 1000);
}

function isoTime(source: string): number | null {
  const [, date, clock = '00:00:00', fraction = '', zone = 'Z'] =
    /^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2})?$/.exec(
      source,
    ) ?? [];
  if (date === undefined) return null;
  const ms = Date.parse(`${date}T${clock.length === 5 ? `${clock}:00` : clock}${fraction}${zone}`);
  // JavaScript parses the 30th of February as a day of March.
  return Number.isNaN(ms) || !isDay(date.split('-').map(Number)) ? null : ms;
}

function isDay([year = 0, month = 0, day = 0]: readonly number[]): boolean {
  const at = new Date(Date.UTC(2000, month - 1, day));
  at.setUTCFullYear(year, month - 1, day);
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day;
}

function formattedTime(source: string, format: string): number | null {
  const fields: string[] = [];
  let from = 0;
  let expression = '';
  for (const { 0: token, index } of format.matchAll(TOKENS)) {
    if (!token.startsWith("'") && READ[token] === undefined)
      throw new StepError(`\`${token}\` can be written and not read`);
    expression += escaped(format.slice(from, index));
    expression += token.startsWith("'") ? escaped(token.slice(1, -1)) : `(${READ[token] ?? ''})`;
    if (!token.startsWith("'")) fields.push(token);
    from = index + token.length;
  }
  const found = new RegExp(`^${expression}${escaped(format.slice(from))}$`).exec(source);
  if (found === null) return null;
  const part = (name: string, unless: number): number =>
    fields.includes(name) ? Number(found[fields.indexOf(name) + 1]) : unless;
  const [year, month, day, hour, minute, second] = [
    part('yyyy', 1970),
    part('MM', 1),
    part('dd', 1),
    part('HH', 0),
    part('mm', 0),
    part('ss', 0),
  ];
  if (!isDay([year, month, day]) || hour > 23 || minute > 59 || second > 59) return null;
  const at = new Date(Date.UTC(2000, 0, 1, hour, minute, second, part('fff', 0)));
  return at.setUTCFullYear(year, month - 1, day);
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
