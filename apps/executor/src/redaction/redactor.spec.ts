// SPDX-License-Identifier: Apache-2.0
import { markerOf, Redactor, SecretValues } from './redactor.ts';

const VALUE = 'hunter2/é"\'&<s p>=+';
const values = new SecretValues({ KEY: VALUE });
const marker = markerOf('KEY');
const encoded = Buffer.from(VALUE);
const wrapped = (text: string, columns: number, by: string): string =>
  text.replaceAll(new RegExp(`(.{${String(columns)}})`, 'g'), `$1${by}`);

test.each([
  ['as it is', VALUE],
  ['in JSON', JSON.stringify(VALUE).slice(1, -1)],
  ['in JSON with escapes', 'hunter2\\/é\\"\'&<s p>=+'],
  ['in JSON of ASCII', 'hunter2/\\u00e9\\"\'&<s p>=+'],
  ['in a URL', encodeURIComponent(VALUE)],
  ['in a URL in lower case', encodeURIComponent(VALUE).toLowerCase()],
  ['in a form', new URLSearchParams({ a: VALUE }).toString().slice(2)],
  ['quoted for a shell', VALUE.replaceAll("'", "'\\''")],
  ['in HTML', 'hunter2/é"\'&amp;&lt;s p&gt;=+'],
  ['in hexadecimal', encoded.toString('hex')],
  ['in hexadecimal in capitals', encoded.toString('hex').toUpperCase()],
  ['as od and xxd write it', wrapped(encoded.toString('hex'), 2, ' ').trim()],
  ['as escapes of bytes', `\\x${wrapped(encoded.toString('hex'), 2, '\\x').slice(0, -2)}`.slice(2)],
])('a secret value is redacted %s', (_how, text) => {
  expect(values.redactText(`before ${text} after`)).toBe(`before ${marker} after`);
});

test.each(
  [0, 1, 2, 3, 4, 5].flatMap((lead) => (['base64', 'base64url'] as const).map((encoding) => [lead, encoding] as const)),
)('a secret value is redacted behind %i bytes in %s, with any bytes after it, and across lines', (lead, encoding) => {
  for (const tail of ['', 'x', 'xy', 'xyz']) {
    const text = Buffer.from(`${'a'.repeat(lead)}${VALUE}${tail}`).toString(encoding);
    for (const shown of [text, wrapped(text, 7, '\n'), wrapped(text, 7, '\r\n')]) {
      const redacted = values.redactText(shown);
      expect(redacted).toContain(marker);
      // The remaining characters at the edges also depend on the bytes beside the value.
      expect(redacted.replace(marker, '').replaceAll(/\s/g, '').length).toBeLessThanOrEqual(
        Math.ceil(((lead + tail.length) * 4) / 3) + 6,
      );
    }
  }
});

test('a single line of a multi-line value is redacted, also with other line ends', () => {
  const key = new SecretValues({
    PEM: '-----BEGIN KEY-----\nMIIBVgIBADANBgkqhkiG\n9w0BAQEFAASCAUAwggE8\nab\n-----END KEY-----',
  });
  expect(key.redactText('x MIIBVgIBADANBgkqhkiG y')).toBe('x ***PEM*** y');
  expect(
    key.redactText(
      '-----BEGIN KEY-----\r\nMIIBVgIBADANBgkqhkiG\r\n9w0BAQEFAASCAUAwggE8\r\nab\r\n-----END KEY-----\r\n',
    ),
  ).toBe('***PEM***\r\n');
  expect(key.redactText('ab')).toBe('ab');
});

test('values that overlap are redacted completely', () => {
  const both = new SecretValues({ A: 'hello-wor', B: 'world-tour' });
  expect(both.redactText('x hello-world-tour y')).toBe('x ***A*** y');
  expect(new SecretValues({ A: 'abab' }).redactText('ababab ab')).toBe('***A*** ab');
});

test('a value that is cut off at the end is redacted', () => {
  const cut = (text: string): string => {
    const redactor = new Redactor(new SecretValues({ KEY: 'correct-horse' }));
    return Buffer.concat([redactor.push(Buffer.from(text)), redactor.end(true)]).toString();
  };
  expect(cut('it is correct-ho')).toBe(`it is ${marker}`);
  expect(cut('it is cor')).toBe('it is cor');
  expect(cut('it is over')).toBe('it is over');
});

test('a false beginning of a value is emitted once too many other bytes follow', () => {
  const redactor = new Redactor(new SecretValues({ KEY: 'correct-horse' }));
  const emitted = (text: string): string => redactor.push(Buffer.from(text)).toString();
  expect(emitted('it is correct-')).toBe('it is ');
  expect(emitted(' '.repeat(16))).toBe('');
  expect(emitted(' ')).toBe(`correct-${' '.repeat(17)}`);
  expect(emitted('horse')).toBe('horse');
});

test('in JSON every string and every member name is redacted, and the rest stays', () => {
  expect(values.redactJson({ a: [VALUE, 1, null, true], [VALUE]: { b: `x${VALUE}` } })).toEqual({
    a: [marker, 1, null, true],
    [marker]: { b: `x${marker}` },
  });
});

test('contents are searched for values in every encoding', () => {
  expect(values.nameIn(Buffer.from(`a ${encodeURIComponent(VALUE)}`))).toBe('KEY');
  expect(values.nameIn(Buffer.concat([Buffer.alloc(3 * 1024 * 1024), encoded]))).toBe('KEY');
  expect(values.nameIn(Buffer.from(VALUE.slice(1)))).toBeNull();
  expect(new SecretValues({}).nameIn(encoded)).toBeNull();
});
