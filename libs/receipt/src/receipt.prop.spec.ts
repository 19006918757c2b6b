// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { encodeReceipt, parseReceipt } from './receipt-file.ts';
import { KEYS, RECEIPT, failedCheckOf, receiptOf } from './sample.contract.ts';
import { verifyReceipt, verifyReceiptFile } from './verify.ts';

const FILE = Buffer.from(encodeReceipt(RECEIPT));

function altered(at: number, byte: number): Buffer {
  const copy = Buffer.from(FILE);
  copy[at] = byte;
  return copy;
}

/**
 * A file with the same JSON in another formatting verifies, and only such a file. Plain code instead of `expect`, which
 * would take longer than the checks.
 */
function mustFail(file: Buffer): void {
  const isVerified = failedCheckOf(() => verifyReceiptFile(file, KEYS)) === 'none';
  const isCanonical = isVerified && failedCheckOf(() => parseReceipt(file)) === 'none';
  if (isVerified !== isSameValue(file) || isCanonical)
    throw new Error(`${isVerified ? 'verified' : 'refused'}: ${file.toString('latin1')}`);
}

const VALUE = JSON.stringify(RECEIPT);
/** The file is UTF-8 with every member once wherever the standard parser finds the same value, spelt as it is here. */
function isSameValue(file: Buffer): boolean {
  try {
    return (
      JSON.stringify(JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(file))) === VALUE
    );
  } catch {
    return false;
  }
}

/** JSON of a value, with white space, the order of members and escapes by chance. */
function spelt(value: unknown, chance: () => number): string {
  const space = (): string => ['', ' ', '\n', '\t\r\n '][Math.floor(chance() * 4)] ?? '';
  const word = (text: string): string =>
    `"${[...text].map((each) => (chance() < 0.1 ? escaped(each) : JSON.stringify(each).slice(1, -1))).join('')}"`;
  const items = (parts: readonly string[]): string => parts.map((part) => `${space()}${part}${space()}`).join(',');
  if (typeof value === 'string') return word(value);
  if (Array.isArray(value)) return `[${items(value.map((each) => spelt(each, chance)))}${space()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(() => chance() - 0.5);
  return `{${items(members.map(([name, each]) => `${word(name)}${space()}:${space()}${spelt(each, chance)}`))}${space()}}`;
}
const escaped = (text: string): string =>
  Array.from({ length: text.length }, (_unit, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
    '',
  );

describe('a receipt file', () => {
  it('fails with any single byte changed: one bit of it, or to a space or a quote', () => {
    for (let at = 0; at < FILE.length; at += 1) {
      const was = FILE[at] as number;
      for (const byte of [was ^ (1 << (at % 8)), 0x20, 0x22]) if (byte !== was) mustFail(altered(at, byte));
    }
  }, 120_000);

  it('fails with any byte removed or doubled, and truncated anywhere', () => {
    for (let at = 0; at < FILE.length; at += 1) {
      const [head, tail] = [FILE.subarray(0, at), FILE.subarray(at)];
      mustFail(Buffer.concat([head, tail.subarray(1)]));
      mustFail(Buffer.concat([head, tail.subarray(0, 1), tail]));
      if (at % 10 === 0) mustFail(head);
    }
    expect(failedCheckOf(() => verifyReceiptFile(FILE, KEYS))).toBe('none');
  }, 120_000);

  it('in any formatting of its JSON is the same receipt, and with any value changed it is none', () => {
    const changed = { ...RECEIPT, inclusion: { ...RECEIPT.inclusion, tree_size: RECEIPT.inclusion.tree_size + 1 } };
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })), (numbers) => {
        const chance = (): number => numbers.next().value ?? 0;
        const file = `${spelt(RECEIPT, chance)}\n`;
        expect(verifyReceiptFile(file, KEYS).isReformatted).toBe(file !== FILE.toString());
        expect(failedCheckOf(() => verifyReceiptFile(spelt(changed, chance), KEYS))).not.toBe('none');
        const twice = file.replace('{', '{"media_type":"application/vnd.writ.receipt.v1+json",');
        expect(failedCheckOf(() => verifyReceiptFile(twice, KEYS))).toBe('format');
      }),
      { numRuns: 100 },
    );
  });

  it('of any shape results in a ReceiptError', () => {
    const part = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom<unknown>(
        RECEIPT,
        RECEIPT.envelope,
        RECEIPT.envelope.payload,
        RECEIPT.inclusion,
        RECEIPT.inclusion.checkpoint,
        3,
        5,
      ),
    );
    const envelope = fc.oneof(part, fc.record({ payloadType: part, payload: part, signatures: fc.array(part) }));
    const inclusion = fc.oneof(
      part,
      fc.record({ leaf_index: part, tree_size: part, hashes: fc.oneof(part, fc.array(part)), checkpoint: part }),
    );
    const receipt = fc.record({ media_type: fc.constant(RECEIPT.media_type), envelope, inclusion });
    fc.assert(
      fc.property(fc.oneof(part, receipt), (value) => {
        failedCheckOf(() => verifyReceiptFile(`${JSON.stringify(value)}\n`, KEYS));
        failedCheckOf(() => verifyReceipt(value as typeof RECEIPT, KEYS));
      }),
      { numRuns: 1000 },
    );
  });

  it('with any signed payload results in a ReceiptError', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.json()),
        (payload) => failedCheckOf(() => verifyReceipt(receiptOf(payload), KEYS)) === 'statement',
      ),
      { numRuns: 200 },
    );
  });
});
