// SPDX-License-Identifier: Apache-2.0
import { json, text } from '../registry/arguments.ts';
import { verbsOf, type Verb } from '../registry/verb.ts';
import { StepError } from '../run/step-error.ts';
import { queryJson } from './json-query.ts';
import { listed } from './lines.ts';

const verb = verbsOf('json');
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Members = { [key: string]: Json };

/** Deeper values would overflow the stack. */
const DEPTH_MAX = 200;

/** @throws StepError for invalid JSON, or JSON that is nested too deeply */
export function readJson(source: string): Json {
  let depth = 0;
  for (const [token] of source.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') depth++;
    else if (token === ']' || token === '}') depth--;
    if (depth > DEPTH_MAX) throw new StepError(`it is nested more than ${DEPTH_MAX} deep`);
  }
  try {
    return JSON.parse(source) as Json;
  } catch (error) {
    throw new StepError(`it is no JSON: ${error instanceof Error ? error.message.slice(0, 200) : ''}`, {
      cause: error,
    });
  }
}

const pretty = (value: Json): string => JSON.stringify(value, null, 2);
const isMembers = (value: Json): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function membersOf(source: string): Members {
  const value = readJson(source);
  if (!isMembers(value)) throw new StepError('it must be an object');
  return value;
}

/** Only own members: a key `__proto__` is an ordinary key. */
const withMember = (members: Members, key: string, value: Json): Members =>
  Object.fromEntries([...Object.entries(members), [key, value]]) as Members;

/** Parsed JSON, or the text itself where it is none. */
function valueOf(source: string): Json {
  try {
    return readJson(source);
  } catch {
    return source;
  }
}

const typeOf = (value: Json): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
const indexOf = (key: string, { length }: readonly Json[]): number => {
  if (!/^-?[0-9]{1,9}$/.test(key)) throw new StepError('an array has places, and no keys');
  return Number(key) < 0 ? length + Number(key) : Number(key);
};

function merged(one: Json, two: Json): Json {
  if (!isMembers(one) || !isMembers(two)) return two;
  const own = new Map(Object.entries(one));
  for (const [key, value] of Object.entries(two))
    own.set(key, own.has(key) ? merged(own.get(key) ?? null, value) : value);
  return Object.fromEntries(own) as Members;
}

function set([source = '', key = '', value = '']: readonly string[]): string {
  const whole = readJson(source);
  if (!Array.isArray(whole)) return pretty(withMember(membersOf(source), key, valueOf(value)));
  const place = indexOf(key, whole);
  if (place < 0 || place > whole.length)
    throw new StepError(`the array has ${whole.length} values, and no place ${key}`);
  return pretty([...whole.slice(0, place), valueOf(value), ...whole.slice(place + 1)]);
}

function get([source = '', key = '']: readonly string[]): string {
  const whole = readJson(source);
  const found = Array.isArray(whole)
    ? whole[indexOf(key, whole)]
    : isMembers(whole) && Object.hasOwn(whole, key)
      ? whole[key]
      : undefined;
  if (found === undefined) throw new StepError(`there is no \`${key.slice(0, 64)}\` in it`);
  return typeof found === 'string' ? found : pretty(found);
}

function removed([source = '', key = '']: readonly string[]): string {
  const whole = readJson(source);
  if (Array.isArray(whole)) return pretty(whole.filter((_, n) => n !== indexOf(key, whole)));
  return pretty(Object.fromEntries(Object.entries(membersOf(source)).filter(([name]) => name !== key)) as Members);
}

function count(source: string): string {
  const whole = readJson(source);
  if (Array.isArray(whole)) return String(whole.length);
  return String(Object.keys(membersOf(source)).length);
}

const fromPairs = (args: readonly string[]): Members =>
  Object.fromEntries(args.flatMap((key, n) => (n % 2 === 0 ? [[key, args[n + 1] ?? '']] : []))) as Members;

export const JSON_VERBS: readonly Verb[] = [
  verb('JsonParse', 'none', 'JSON, indented by 2', [json('input')], ['{"a":1}'], ([source = '']) =>
    pretty(readJson(source)),
  ),
  verb(
    'JsonQuery',
    'none',
    'what a JSONPath (RFC 9535) or a pointer finds: one value, or a list of them',
    [json('input'), text('query')],
    ['{"a":[{"b":1},{"b":2}]}', '$.a[?@.b > 1]'],
    ([source = '', query = ''], { checkRegexTime }) => queryJson(readJson(source), query, checkRegexTime),
  ),
  verb(
    'JsonMerge',
    'none',
    'two objects in one; the second wins',
    [json('json1'), json('json2')],
    ['{"a":1,"b":{"c":1}}', '{"b":{"d":2}}'],
    ([one = '', two = '']) => pretty(merged(membersOf(one), membersOf(two))),
  ),
  verb('JsonKeys', 'none', 'the keys of an object, one a line', [json('json')], ['{"a":1,"b":2}'], ([source = '']) =>
    listed(Object.keys(membersOf(source))),
  ),
  verb('JsonCount', 'none', 'how many values an array or object has', [json('json')], ['[1,2,3]'], ([source = '']) =>
    count(source),
  ),
  verb('JsonType', 'none', 'object, array, string, number, boolean or null', [json('json')], ['[]'], ([source = '']) =>
    typeOf(readJson(source)),
  ),
  verb(
    'JsonFromPairs',
    'none',
    'an object of keys and texts',
    [text('key'), text('value')],
    ['a', '1', 'b', 'two'],
    (args) => pretty(fromPairs(args)),
    { most: 128, pairs: true },
  ),
  verb(
    'JsonSet',
    'none',
    'with one value set; it is JSON where it can be, else a text',
    [json('json'), text('key'), text('value')],
    ['{"a":1}', 'b', '[true]'],
    set,
  ),
  verb('JsonRemoveKey', 'none', 'without one key', [json('json'), text('key')], ['{"a":1,"b":2}', 'a'], removed),
  verb(
    'JsonGet',
    'none',
    'the value at a key or place; a text without quotes',
    [json('json'), text('index or key')],
    ['{"a":"x"}', 'a'],
    get,
  ),
  verb('JsonCompact', 'none', 'without white space', [json('json')], ['{ "a" : 1 }'], ([source = '']) =>
    JSON.stringify(readJson(source)),
  ),
  verb('JsonStringify', 'none', 'a text as a JSON string', [text('value')], ['say "hi"'], ([value = '']) =>
    JSON.stringify(value),
  ),
  verb('JsonArrayFrom', 'none', 'an array of texts', [text('item')], ['a', 'b'], (args) => pretty([...args]), {
    most: 64,
  }),
];
