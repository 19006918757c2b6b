// SPDX-License-Identifier: Apache-2.0
//
// The forms that a question may have. Each is passed on as it is, and with any of its values changed it has a form that
// the official client takes, or it is passed on to nobody.
import { isSpecType } from '@modelcontextprotocol/client';
import { MCP_ASKS, type McpAsk } from '@writ/contract';
import fc from 'fast-check';
import { McpError } from './mcp-error.ts';
import { askingAnswer } from './server-question.ts';

type Json = Readonly<Record<string, unknown>>;

const METHODS: Readonly<Record<McpAsk, string>> = {
  elicitation: 'elicitation/create',
  elicitation_url: 'elicitation/create',
  sampling: 'sampling/createMessage',
  roots: 'roots/list',
};

/** What is passed on; null where nobody is asked. */
function passedOn(ask: McpAsk, params: unknown): Json | null {
  try {
    const inputRequests = { one: { method: METHODS[ask], params } };
    const reply = { resultType: 'input_required', inputRequests };
    return askingAnswer(reply, { capabilities: MCP_ASKS }, (text) => text)!.asks!.requests['one']!.params;
  } catch (error) {
    if (error instanceof McpError && error.reason === 'unsupported') return null;
    throw error;
  }
}

const NAMES = { title: 'T', description: 'D' };
const FORM = {
  mode: 'form',
  message: 'Which?',
  requestedSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      text: { type: 'string', ...NAMES, minLength: 1, maxLength: 9, format: 'email', default: 'a@example.org' },
      number: { type: 'number', ...NAMES, minimum: 0.5, maximum: 9, default: 1 },
      whole: { type: 'integer', default: 1 },
      yes: { type: 'boolean', ...NAMES, default: true },
      one: { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'], default: 'a' },
      titled: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
      some: {
        type: 'array',
        ...NAMES,
        minItems: 0,
        maxItems: 2,
        items: { type: 'string', enum: ['a'] },
        default: ['a'],
      },
      titles: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
    },
    required: ['text'],
  },
};
const PAGE = { mode: 'url', message: 'Look', url: 'https://example.org:8443/a?b=c%20d#e', elicitationId: 'e' };
const SAMPLE = {
  messages: [
    { role: 'user', content: { type: 'text', text: 'Which?\n\ttab' } },
    { role: 'assistant', content: [{ type: 'image', mimeType: 'image/png', data: 'aaaa' }] },
    { role: 'user', content: { type: 'audio', mimeType: 'audio/wav', data: 'aaaa' } },
  ],
  modelPreferences: { hints: [{ name: 'm' }, {}], costPriority: 0, speedPriority: 0.5, intelligencePriority: 1 },
  systemPrompt: 'S',
  temperature: 0.5,
  maxTokens: 10,
  stopSequences: ['.'],
  metadata: { any: [{ thing: 1 }] },
};
const WHOLE: readonly (readonly [McpAsk, Json])[] = [
  ['elicitation', FORM],
  ['elicitation_url', PAGE],
  ['sampling', SAMPLE],
  ['roots', {}],
];

it.each(WHOLE)('a question for %s with every member is passed on as it is', (ask, params) => {
  expect(passedOn(ask, params)).toEqual(params);
});

it('a question has its known members alone', () => {
  const extra = { _meta: { a: 1 }, other: 'x' };
  for (const [ask, params] of WHOLE) expect(passedOn(ask, { ...params, ...extra })).toEqual(params);
  const properties = { a: { type: 'string', pattern: '^a', $ref: '#' } };
  const requestedSchema = { type: 'object', properties, additionalProperties: false, title: 'x' };
  expect(passedOn('elicitation', { message: 'x', requestedSchema })).toEqual({
    message: 'x',
    requestedSchema: { type: 'object', properties: { a: { type: 'string' } } },
  });
});

const form = (properties: unknown, more: object = {}) => ({
  message: 'x',
  requestedSchema: { type: 'object', properties, ...more },
});
const page = (url: unknown) => ({ mode: 'url', message: 'x', url });
const sample = (content: unknown, more: object = {}) => ({
  messages: [{ role: 'user', content }],
  maxTokens: 1,
  ...more,
});
const says = (text: string, more: object = {}) => sample({ type: 'text', text }, more);
const proto = (member: unknown): unknown => JSON.parse(`{"__proto__":${JSON.stringify(member)}}`);

it.each<[string, McpAsk, unknown]>([
  ['a form without anything', 'elicitation', {}],
  ['a message that is no text', 'elicitation', { ...form({}), message: 5 }],
  ['a form without fields', 'elicitation', { message: 'x' }],
  ['a form whose schema is a text', 'elicitation', { message: 'x', requestedSchema: 'no' }],
  ['a form that is no object', 'elicitation', form({}, { type: 'array' })],
  ['a field that is no object', 'elicitation', form({ a: true })],
  ['a field of an unknown type', 'elicitation', form({ a: { type: 'file' } })],
  ['a field with the name of what every object has as its type', 'elicitation', form({ a: { type: 'constructor' } })],
  ['fields within a field', 'elicitation', form({ a: { type: 'object', properties: {} } })],
  ['a list of anything', 'elicitation', form({ a: { type: 'array', items: { type: 'number' } } })],
  ['a field of an unknown format', 'elicitation', form({ a: { type: 'string', format: 'password' } })],
  ['a default of another type', 'elicitation', form({ a: { type: 'boolean', default: 'yes' } })],
  ['a field `__proto__`', 'elicitation', form(proto({ type: 'string' }))],
  ['a field whose name nobody sees', 'elicitation', form({ 'a\u200bb': { type: 'string' } })],
  ['a title with an escape', 'elicitation', form({ a: { type: 'string', title: '\u001b[1m' } })],
  ['a page without an address', 'elicitation_url', { mode: 'url', message: 'x' }],
  ['a page without a message', 'elicitation_url', { mode: 'url', url: 'https://example.org/' }],
  ...[
    ...[
      '',
      '/connect',
      'example.org',
      '//example.org',
      'https:',
      'https://',
      'https:///example.org',
      'https:example.org',
    ],
    ...['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'ftp://example.org/', 'vscode://file/x'],
    ...['https://writ.example.org@evil.example/connect/', 'https://a:b@evil.example/', 'https://@evil.example/'],
    ...['https://writ.example.org\\@evil.example/', 'https:\\\\evil.example', 'https://writ.example.org/\\evil'],
    ...['https://wr\u0456t.example.org/', 'https://example.org/a b', ' https://example.org/', 'https://example.org/\n'],
    ...['https://example.org:99999/', 'https://exa<mple.org/', 'https://%2f.example.org/'],
  ].map((url): [string, McpAsk, unknown] => [`the page ${JSON.stringify(url)}`, 'elicitation_url', page(url)]),
  ['messages that are no list', 'sampling', { messages: 'x', maxTokens: 1 }],
  ['messages without a limit', 'sampling', { messages: [] }],
  ['a limit that is no whole number', 'sampling', says('x', { maxTokens: 0.5 })],
  ['a message of the system', 'sampling', { messages: [{ role: 'system', content: {} }], maxTokens: 1 }],
  ['a call of a tool', 'sampling', sample({ type: 'tool_use', id: 'a', name: 'b', input: {} })],
  ['a resource for a model', 'sampling', sample({ type: 'resource', resource: { uri: 'a:b', text: 'x' } })],
  ['bytes that are no base64', 'sampling', sample({ type: 'image', mimeType: 'image/png', data: '*' })],
  ['a priority beyond one', 'sampling', says('x', { modelPreferences: { costPriority: 2 } })],
  ['stop sequences that are a text', 'sampling', says('x', { stopSequences: 'x' })],
  ['metadata that is a list', 'sampling', says('x', { metadata: [] })],
  ['metadata with a member `__proto__`', 'sampling', says('x', { metadata: proto(1) })],
  ['a text for a model that nobody sees', 'sampling', says('a\u{e0041}b')],
  ['a text for a model in another order', 'sampling', says('a\u202eb')],
  ['a text for a model with an escape', 'sampling', says('a\u001b[8mb')],
  ['a prompt of the system that nobody sees', 'sampling', says('x', { systemPrompt: 'a\u{e0041}b' })],
  ['folders with a list of parameters', 'roots', [1]],
])('%s is passed on to nobody', (_what, ask, params) => {
  expect(passedOn(ask, params)).toBeNull();
});

it.each(['http://localhost:3000/a', 'https://xn--bcher-kva.example', 'HTTPS://[::1]?q=a@b', 'https://example.org/@me'])(
  'the page %s is passed on',
  (url) => {
    expect(passedOn('elicitation_url', page(url))).toEqual(page(url));
  },
);

it('a text for a model may have marks that change no meaning', () => {
  expect(passedOn('sampling', says('a\u200bb\ufeff'))).not.toBeNull();
});

/** Every place of a value, as the names that lead there. */
const placesOf = (value: unknown): readonly (readonly string[])[] =>
  typeof value !== 'object' || value === null
    ? [[]]
    : [[], ...Object.entries(value).flatMap(([name, member]) => placesOf(member).map((rest) => [name, ...rest]))];

function changed(value: unknown, [name, ...rest]: readonly string[], to: unknown): unknown {
  if (name === undefined) return to;
  const whole = value as Record<string, unknown>;
  if (Array.isArray(value)) return value.map((item, n) => (String(n) === name ? changed(item, rest, to) : item));
  return { ...whole, [name]: changed(whole[name], rest, to) };
}

/** Whether the official client takes the parameters. Its shared form of a page has an id, which this revision lacks. */
function isTaken(ask: McpAsk, params: Json): boolean {
  if (ask === 'elicitation') return isSpecType.ElicitRequestFormParams(params);
  if (ask === 'elicitation_url') return isSpecType.ElicitRequestURLParams({ elicitationId: '', ...params });
  return ask === 'sampling' ? isSpecType.CreateMessageRequestParams(params) : Object.keys(params).length === 0;
}

it('with any value changed, a question has a form that the official client takes, or nobody is asked', () => {
  let taken = 0;
  const values = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown[]>(
      '',
      'x',
      'array',
      'object',
      'form',
      'url',
      'https://example.org/',
      0,
      1,
      null,
      undefined,
    ),
    fc.constantFrom<unknown[]>(
      {},
      [],
      { type: 'string' },
      { type: 'text' },
      { anyOf: [] },
      { type: 'array', items: {} },
    ),
  );
  const questions = fc
    .constantFrom(...WHOLE)
    .chain(([ask, params]) =>
      fc
        .tuple(fc.constantFrom(...placesOf(params)), values)
        .map(([place, to]) => [ask, changed(params, place, to)] as const),
    );
  fc.assert(
    fc.property(questions, ([ask, params]) => {
      const known = passedOn(ask, params);
      if (known === null) return;
      taken += 1;
      // Another mode makes another question of it.
      expect(isTaken(known['mode'] === 'url' ? 'elicitation_url' : ask, known)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
  expect(taken).toBeGreaterThan(100);
});

it('a question that is nested without end is passed on to nobody', () => {
  for (const depth of [40, 4_000, 200_000]) {
    const deep = JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown;
    expect(passedOn('sampling', says('x', { metadata: { deep } }))).toBeNull();
    expect(passedOn('elicitation', form({ a: deep }))).toBeNull();
  }
});

const manyFields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [n, { type: 'boolean' }]));

it.each<[string, McpAsk, () => unknown]>([
  ['a million items', 'sampling', () => says('x', { metadata: { wide: Array(1e6).fill('x') } })],
  ['a million messages', 'sampling', () => ({ messages: Array(1e6).fill({}), maxTokens: 1 })],
  ['a million choices', 'elicitation', () => form({ a: { type: 'string', enum: Array(1e6).fill('x') } })],
  ['200,000 fields', 'elicitation', () => form(manyFields(200_000))],
])('a question with %s is passed on to nobody', (_what, ask, made) => {
  expect(passedOn(ask, made())).toBeNull();
});
