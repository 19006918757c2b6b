// SPDX-License-Identifier: Apache-2.0
// Round trips: what a request carries, read by a reader that knows only the styles of OpenAPI, is what the arguments
// say; and no value of an argument changes anything else.
import type { HttpTool } from '@writ/contract';
import fc from 'fast-check';
import { httpRequestOf, type HttpRequest } from './http-request.ts';
import { RequestError } from './request-error.ts';

type Input = HttpTool['inputs'][number];

const input = (argument: string, place: Input['in'], style: Input['style'], explode: boolean): Input => ({
  argument,
  name: argument,
  in: place,
  style,
  explode,
});
const RECIPE = {
  method: 'POST' as const,
  server: 'https://api.outside.example/base',
  path: '/a/{p}/{pl}.{pm}/z',
  inputs: [
    input('p', 'path', 'simple', false),
    input('pl', 'path', 'simple', false),
    input('pm', 'path', 'simple', true),
    input('q', 'query', 'form', true),
    input('ql', 'query', 'form', true),
    input('qc', 'query', 'form', false),
    input('qm', 'query', 'form', true),
    input('qs', 'query', 'spaceDelimited', false),
    input('qp', 'query', 'pipeDelimited', false),
    input('qd', 'query', 'deepObject', true),
    input('h', 'header', 'simple', false),
    input('hl', 'header', 'simple', false),
  ],
  body: { argument: 'body', media: 'application/x-www-form-urlencoded' as const },
  credentials: [{ in: 'query' as const, name: 'key', prefix: '', secret: 'KEY' }],
  idempotency_header: null,
};
/** Names and characters that could mean something to some reader. */
const hostile = fc.constantFrom(
  '..',
  '.',
  '../x',
  '..;/x',
  '/',
  '\\',
  '//evil.example',
  '?x=1',
  '#f',
  '&q=2',
  'a&key=1',
  '%2e%2e',
  '%2f',
  '%00',
  '\0',
  '\r\nX: 1',
  ',',
  '|',
  ' ',
  '=',
  ';',
  '[a]',
  '+',
  'qd[a]',
  'ql[]',
  '@evil.example',
  ':80',
  'é',
  '💥',
  '\ud800',
  '',
  'null',
  '__proto__',
  'key',
  'ql',
  "'",
  '"',
  '*',
  'a,b',
);
const plain = fc.stringMatching(/^[a-z0-9é+&?#%;@]{1,6}$/);
/** Mostly text that a request can carry, so that not every case is refused. */
const text = fc.oneof(
  { weight: 40, arbitrary: plain },
  { weight: 1, arbitrary: hostile },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
);
const scalar = fc.oneof(text, fc.integer(), fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const list = fc.array(scalar, { minLength: 1, maxLength: 4 });
const object = fc.dictionary(text, scalar, { minKeys: 1, maxKeys: 3 });
const args = fc.record(
  {
    p: scalar,
    pl: list,
    pm: object,
    q: scalar,
    ql: list,
    qc: list,
    qm: object,
    qs: list,
    qp: list,
    qd: object,
    h: scalar,
    hl: list,
    body: fc.dictionary(text, fc.oneof(scalar, list), { maxKeys: 3 }),
  },
  { requiredKeys: ['p', 'pl', 'pm'] },
);

const built = (values: Readonly<Record<string, unknown>>): HttpRequest | null => {
  try {
    return httpRequestOf(RECIPE, values);
  } catch (error) {
    if (error instanceof RequestError) return null;
    throw error;
  }
};
const texts = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(String)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, String(one)]))
      : String(value);
const pairs = (raw: string): [string, string][] =>
  raw === '' ? [] : raw.split('&').map((pair) => pair.split('=').map(decodeURIComponent) as [string, string]);
/** Reads parts between delimiters, which are parted before they are decoded. */
const parts = (raw: string, delimiter: string) => raw.split(delimiter).map(decodeURIComponent);

/** Reads a request by the styles of the inputs alone. */
function read({ url, headers, body }: HttpRequest): Record<string, unknown> {
  const { pathname, search } = new URL(url);
  const [, base, a, p = '', joined = '', z] = pathname.split('/');
  expect([base, a, z, pathname.split('/').length]).toEqual(['base', 'a', 'z', 6]);
  const raw = search
    .slice(1)
    .split('&')
    .filter((one) => one !== '')
    .map((one) => one.split('=') as [string, string]);
  const rawOf = (name: string) => raw.find(([key]) => decodeURIComponent(key) === name)?.[1];
  const out: Record<string, unknown> = { p: decodeURIComponent(p), joined };
  const names = new Set(['q', 'ql', 'qc', 'qs', 'qp']);
  const ql = raw.filter(([key]) => key === 'ql').map(([, value]) => decodeURIComponent(value));
  if (ql.length > 0) out['ql'] = ql;
  if (rawOf('q') !== undefined) out['q'] = decodeURIComponent(rawOf('q') ?? '');
  for (const [name, delimiter] of [
    ['qc', ','],
    ['qs', '%20'],
    ['qp', '%7C'],
  ] as const)
    if (rawOf(name) !== undefined) out[name] = parts(rawOf(name) ?? '', delimiter);
  const others = pairs(search.slice(1)).filter(([key]) => !names.has(key));
  const deep = others.filter(([key]) => /^qd\[/.test(key));
  if (deep.length > 0) out['qd'] = Object.fromEntries(deep.map(([key, value]) => [key.slice(3, -1), value]));
  const spread = others.filter(([key]) => !/^qd\[/.test(key));
  if (spread.length > 0) out['qm'] = Object.fromEntries(spread);
  for (const [name, value] of headers) out[name] = name === 'hl' ? value.split(',') : value;
  if (body !== null) out['body'] = [...new URLSearchParams(body.text)];
  return out;
}

describe('a request of an HTTP tool', () => {
  it('carries exactly the arguments, read by their styles', () => {
    let carried = 0;
    fc.assert(
      fc.property(args, (values) => {
        const request = built(values);
        if (request === null) return;
        carried += 1;
        const { joined, body, ...found } = read(request);
        const { pl, pm, body: form, ...rest } = values;
        const assigned = Object.entries(pm)
          .map((pair) =>
            pair
              .map((one) =>
                encodeURIComponent(String(one)).replaceAll(
                  /[!'()*]/g,
                  (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
                ),
              )
              .join('='),
          )
          .join(',');
        const list = pl
          .map((one) =>
            encodeURIComponent(String(one)).replaceAll(
              /[!'()*]/g,
              (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
            ),
          )
          .join(',');
        expect(joined).toBe(`${list}.${assigned}`);
        const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
        // A member named like the start of another parameter's members would be taken for one of them.
        expect(found).toEqual(Object.fromEntries(Object.entries(given).map(([key, value]) => [key, texts(value)])));
        if (form !== undefined)
          expect(body).toEqual(
            Object.entries(form).flatMap(([key, value]) => [value].flat().map((one) => [key, String(one)])),
          );
      }),
      { numRuns: 400 },
    );
    // Else the cases above would say little.
    expect(carried).toBeGreaterThan(80);
  });

  it('never changes host, structure of the path, number of headers or a parameter by a value', () => {
    fc.assert(
      fc.property(args, (values) => {
        const request = built(values);
        if (request === null) return;
        const url = new URL(request.url);
        expect([url.protocol, url.host, url.username, url.password, url.hash]).toEqual([
          'https:',
          'api.outside.example',
          '',
          '',
          '',
        ]);
        expect(url.pathname.startsWith('/base/a/')).toBe(true);
        expect(
          url.pathname
            .split('/')
            .some((one) => ['', '.', '..'].includes(decodeURIComponent(one)) && one !== url.pathname.split('/')[0]),
        ).toBe(false);
        expect(request.headers.map(([name]) => name)).toEqual(
          ['h', 'hl'].filter((name) => name in values && values[name as 'h'] !== undefined),
        );
        for (const [, value] of request.headers) expect(/^[\t\x20-\x7e]*$/.test(value)).toBe(true);
        expect(pairs(url.search.slice(1)).some(([key]) => key === 'key')).toBe(false);
      }),
      { numRuns: 400 },
    );
  });

  it.each(['..', '.', '', '../admin', 'x/../../admin', '..\\x', '..;a/b', 'a\0', 'a\r\nb', '\ud800'])(
    'refuses %s in a path',
    (value) => {
      expect(built({ p: value, pl: ['a'], pm: { a: 'b' } })).toBeNull();
    },
  );

  it.each(['a/b', '%2e%2e', '...', 'a?b#c', '//evil.example', '@evil', 'é'])('keeps %s within its segment', (value) => {
    expect(new URL(built({ p: value, pl: ['a'], pm: { a: 'b' } })?.url ?? '').pathname).toBe(
      `/base/a/${encodeURIComponent(value)}/a.a=b/z`,
    );
  });
});
