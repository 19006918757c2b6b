// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { isRedacted, REDACTED, redactValue, topOf } from './redact-value.ts';
import { readRedaction } from './pointers.ts';

const CANARY = 'canary-5f1c';
const names = fc.constantFrom('a', 'b', '0', '1', '*', '', 'a b', 'a/b', '~1', '__proto__', 'caf\u00e9', 'cafe\u0301');
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 7, 'text', CANARY),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(names, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;
const written = (name: string): string =>
  name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll(' ', '~2').normalize('NFC');
const steps = fc.array(fc.oneof(names.map(written), fc.constant('*')), { minLength: 1, maxLength: 4 });
const pointers = fc.array(
  steps.map((all) => `/${all.join('/')}`),
  { minLength: 1, maxLength: 4 },
);

/** Every place that a pointer names by the letter of RFC 6901, written anew and slowly. */
function placesOf(value: unknown, [step, ...rest]: readonly string[]): unknown[] {
  if (step === undefined) return [value];
  if (typeof value !== 'object' || value === null) return [];
  const name = step.replaceAll('~2', ' ').replaceAll('~1', '/').replaceAll('~0', '~');
  return Object.entries(value)
    .filter(([key]) => step === '*' || key.normalize('NFC') === name)
    .flatMap(([, member]) => placesOf(member, rest));
}

describe('what pointers redact of a value', () => {
  test('is gone at each place that they name, in whatever form the value comes', () => {
    fc.assert(
      fc.property(json, pointers, (value, all) => {
        const kept = redactValue(value, all);
        for (const pointer of all)
          for (const place of placesOf(kept, pointer.slice(1).split('/'))) expect([REDACTED, null]).toContain(place);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is all of a canary, wherever a pointer led to it, however deep below', () => {
    fc.assert(
      fc.property(steps, json, (path, around) => {
        const value = path.reduceRight<unknown>(
          (inner, step) => {
            const name = step.replaceAll('~2', ' ').replaceAll('~1', '/').replaceAll('~0', '~');
            return Object.fromEntries([[name, inner]]);
          },
          { around, text: CANARY, list: [CANARY] },
        );
        expect(JSON.stringify(redactValue(value, [`/${path.join('/')}`]))).not.toContain(CANARY);
      }),
      { numRuns: 2_000 },
    );
  });

  test('hides no value in another form than the expected one: a text, or a list in place of an object', () => {
    const within = '/customer/email';
    for (const customer of [
      JSON.stringify({ email: CANARY }),
      [{ email: CANARY }],
      [[CANARY]],
      CANARY,
      { email: [CANARY] },
    ])
      expect(JSON.stringify(redactValue({ customer }, [within]))).not.toContain(CANARY);
    for (const whole of [CANARY, [CANARY], [{ customer: { email: CANARY } }]])
      expect(redactValue(whole, [within])).toBe(REDACTED);
    expect(redactValue({ customer: 7, other: 8 }, [within])).toEqual({ customer: REDACTED, other: 8 });
  });

  test('leaves everything else as it is, and `null`', () => {
    const value = { items: [{ iban: 'x', n: 1 }, { n: 2 }, { iban: null }], total: 3 };
    expect(redactValue(value, ['/items/*/iban', '/absent/x'])).toEqual({
      items: [{ iban: REDACTED, n: 1 }, { n: 2 }, { iban: null }],
      total: 3,
    });
    expect(redactValue({ items: { a: { iban: 'x' } } }, ['/items/*/iban'])).toEqual({
      items: { a: { iban: REDACTED } },
    });
    expect(redactValue([['a', 'b']], ['/0/1'])).toEqual([['a', REDACTED]]);
  });

  test('is redacted once: a second time changes nothing, and a value with none of it is the same object', () => {
    fc.assert(
      fc.property(json, pointers, (value, all) => {
        const kept = redactValue(value, all);
        expect(isRedacted(kept, all)).toBe(true);
        if (!JSON.stringify(value).includes(REDACTED))
          expect(isRedacted(value, all)).toBe(JSON.stringify(kept) === JSON.stringify(value));
      }),
      { numRuns: 2_000 },
    );
  });

  test('is all of a member at the top for a value whose form nobody declared', () => {
    expect(topOf(['/body/customer/email', '/body/iban', '/a~1b/c'])).toEqual(['/body', '/a~1b']);
    expect(redactValue({ status: 404, body: { error: CANARY } }, topOf(['/body/x/y']))).toEqual({
      status: 404,
      body: REDACTED,
    });
  });

  test('may be called `__proto__`, and no prototype changes', () => {
    const value = JSON.parse('{"__proto__":{"a":"x"},"b":1}') as object;
    const kept = redactValue(value, ['/__proto__/a']) as object;
    expect(JSON.stringify(kept)).toBe('{"__proto__":{"a":"[redacted]"},"b":1}');
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
  });
});

describe('the text of `@redact`', () => {
  test('has pointers with spaces between, each once', () => {
    expect(readRedaction(' /a/b  /items/*/iban\n/a/b ')).toEqual({ ok: true, pointers: ['/a/b', '/items/*/iban'] });
  });

  test.each([
    ['', 'names no member'],
    ['customer/email', 'no JSON pointer'],
    ['$.customer', 'no JSON pointer'],
    ['/a~3', 'stands for nothing'],
    ['/a~', 'stands for nothing'],
    [`/${'a/'.repeat(16)}b`, 'more than 16 steps'],
    [Array.from({ length: 17 }, (_, n) => `/m${n}`).join(' '), 'more than 16 members'],
    [`/${'x'.repeat(1024)}`, 'longer than 1024 characters'],
  ])('%s is refused, with what is wrong', (text, message) => {
    expect(readRedaction(text)).toMatchObject({ ok: false, message: expect.stringContaining(message) });
  });
});
