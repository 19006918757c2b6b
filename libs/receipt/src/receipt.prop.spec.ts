// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { encodeReceipt } from './receipt-file.ts';
import { KEYS, RECEIPT, failedCheckOf, receiptOf } from './sample.contract.ts';
import { verifyReceipt, verifyReceiptFile } from './verify.ts';

const FILE = Buffer.from(encodeReceipt(RECEIPT));

function altered(at: number, byte: number): Buffer {
  const copy = Buffer.from(FILE);
  copy[at] = byte;
  return copy;
}

/** Plain code instead of `expect`, which would take longer than the checks. */
function mustFail(file: Buffer): void {
  if (failedCheckOf(() => verifyReceiptFile(file, KEYS)) === 'none')
    throw new Error(`verified: ${file.toString('latin1')}`);
}

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
