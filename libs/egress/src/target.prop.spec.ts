// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { isCanonicalHost } from './host.ts';
import { isPublicAddress } from './public-address.ts';
import { parseAuthority, parseUrl, TargetError, urlOf } from './target.ts';

const RUNS = { numRuns: 2_000 };
/** Texts close to URLs: their parts, characters that confuse parsers, and noise. */
const near = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'http://',
        'https://',
        '//',
        '/',
        '\\',
        '@',
        ':',
        '.',
        '..',
        '#',
        '?',
        '%',
        '%2e',
        '%40',
        '[::1]',
        '[',
        ']',
        '\t',
        '\r\n',
        ' ',
        '0x7f',
        '0177',
        '127',
        '1',
        '2130706433',
        'good.org',
        'evil.org',
        'xn--',
        'a',
        'é',
        '。',
        '443',
        '80',
        '8080',
      ),
      fc.string({ maxLength: 3 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

const read = (text: string) => {
  try {
    return parseUrl(text);
  } catch (error) {
    if (error instanceof TargetError) return null;
    throw error;
  }
};

test('every parser gives an accepted text the same target', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        near,
        near.map((rest) => `https://${rest}`),
        fc.webUrl(),
      ),
      (text) => {
        const target = read(text);
        if (target === null) return;
        const url = new URL(text);
        expect([url.protocol, url.hostname, url.username, url.password, url.hash]).toEqual([
          `${target.scheme}:`,
          target.host,
          '',
          '',
          '',
        ]);
        expect(Number(url.port || (target.scheme === 'https' ? 443 : 80))).toBe(target.port);
        // A parser without support for escapes takes the text between the slashes.
        expect(text.split('/')[2]?.split('?')[0]?.split(':')[0]?.toLowerCase()).toBe(target.host);
        expect(read(urlOf(target))).toEqual(target);
        expect(target.path).toMatch(/^\/[\x21-\x7e]*$/);
      },
    ),
    RUNS,
  );
});

test('only the plain spelling of an IPv4 address is a host', () => {
  const part = (value: number) =>
    fc.constantFrom(String(value), `0${value.toString(8)}`, `0x${value.toString(16)}`, `0${value}`);
  const spelled = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)).chain(([a, b, c, d]) =>
    fc.oneof(
      fc.tuple(part(a), part(b), part(c), part(d)).map((parts) => parts.join('.')),
      fc.constantFrom(
        String(((a * 256 + b) * 256 + c) * 256 + d),
        `${a}.${b}.${c * 256 + d}`,
        `${a}.${(b * 256 + c) * 256 + d}`,
        `0x${[a, b, c, d].map((n) => n.toString(16).padStart(2, '0')).join('')}`,
      ),
    ),
  );
  fc.assert(
    fc.property(spelled, (text) => {
      if (isCanonicalHost(text)) expect(ipaddr.IPv4.parse(text).toString()).toBe(text);
    }),
    RUNS,
  );
});

test('an IPv6 address with an embedded IPv4 address is public only if that one is', () => {
  const inward = fc.constantFrom(
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '172.20.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
  );
  const [high, low] = [(v4: string) => hex(v4, 0), (v4: string) => hex(v4, 2)];
  const carried = inward.chain((v4) =>
    fc.constantFrom(
      `::ffff:${v4}`,
      `::ffff:${high(v4)}:${low(v4)}`,
      `::${high(v4)}:${low(v4)}`,
      `::ffff:0:${high(v4)}:${low(v4)}`,
      `64:ff9b::${high(v4)}:${low(v4)}`,
      `64:ff9b:1::${high(v4)}:${low(v4)}`,
      `2002:${high(v4)}:${low(v4)}::1`,
      `2001:0:4136:e378:8000:63bf:${high(v4)}:${low(v4)}`,
      `2001:0:${high(v4)}:${low(v4)}::1`,
    ),
  );
  fc.assert(
    fc.property(carried, (address) => {
      expect(isPublicAddress(address)).toBe(false);
    }),
    RUNS,
  );
});

test('a tunnel has exactly the target in its text, or is refused', () => {
  fc.assert(
    fc.property(
      fc
        .tuple(near, fc.constantFrom('443', '993', '8443', '0443', '0', '65536', ''))
        .map(([host, port]) => `${host}:${port}`),
      (text) => {
        try {
          const { host, port } = parseAuthority(text);
          expect(`${host}:${port}`).toBe(text.toLowerCase());
        } catch (error) {
          expect(error).toBeInstanceOf(TargetError);
        }
      },
    ),
    RUNS,
  );
});

const hex = (v4: string, at: number): string =>
  v4
    .split('.')
    .slice(at, at + 2)
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('');
