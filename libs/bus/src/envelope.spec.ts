// SPDX-License-Identifier: Apache-2.0
import { Fault, FAULTS, type FaultCode } from '@writ/contract';
import { encodeFault, encodeOk, encodePayload, messageBytesMax, parsePayload, parseReply } from './envelope.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const thrownBy = (fn: () => unknown): unknown => {
  try {
    return fn();
  } catch (error) {
    return error;
  }
};

test('every fault of the table is the same fault after encoding and parsing', () => {
  for (const code of Object.keys(FAULTS) as FaultCode[]) {
    expect(thrownBy(() => parseReply(encodeFault(new Fault(code, 'a detail'))))).toMatchObject({
      code,
      detail: 'a detail',
    });
  }
});

test('the encoding of an answer has these bytes', () => {
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  expect(text(encodeOk({ n: 1 }))).toBe('{"ok":{"n":1}}');
  expect(text(encodeOk(undefined))).toBe('{"ok":null}');
  expect(text(encodeFault(new Fault('permit.spent', 'by `x`')))).toBe(
    '{"fault":{"code":"permit.spent","detail":"by `x`"}}',
  );
  expect(text(encodeFault(new Error('inside')))).toBe('{"fault":{"code":"internal"}}');
});

test.each([
  '',
  '[]',
  '{}',
  '"text"',
  '{"fault":null}',
  '{"fault":{"code":"unheard.of"}}',
  '{"fault":{"code":"toString"}}',
  '{"fault":7}',
])('an answer that is no envelope (%s) is `internal`', (reply) => {
  expect(thrownBy(() => parseReply(encode(reply)))).toMatchObject({ code: 'internal' });
});

test('a value named `fault` inside an ok answer is a value', () => {
  expect(parseReply(encodeOk({ fault: { code: 'internal' } }))).toEqual({ fault: { code: 'internal' } });
});

test.each([encode('{"a":'), encode('nonsense'), Uint8Array.of(0x22, 0xff, 0x22)])(
  'bytes that are not JSON in UTF-8 are `request.malformed`',
  (bytes) => {
    expect(thrownBy(() => parsePayload(bytes))).toMatchObject({ code: 'request.malformed' });
  },
);

test('the limit is on bytes, not on characters', () => {
  const quotes = 2;
  expect(encodePayload('x'.repeat(messageBytesMax - quotes)).byteLength).toBe(messageBytesMax);
  expect(thrownBy(() => encodePayload('ü'.repeat(messageBytesMax / 2)))).toMatchObject({ code: 'request.too_large' });
});

it('keeps the names of members, whatever was parsed before', () => {
  const names = (payload: object): string[] => Object.keys(parsePayload(encodePayload(payload)) as object);
  // In this order JSON.parse gives the second one's quote as the first one's backslash.
  expect([names({ h: [], '\\': 0 }), names({ h: 1, '"': 2 })]).toEqual([
    ['h', '\\'],
    ['h', '"'],
  ]);
});
