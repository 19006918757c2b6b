// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { givenValueContext, HpkeBox, sealTo } from './hpke-box.ts';

const master = randomBytes(32);
const box = new HpkeBox(master);
const clear = Buffer.from('hunter2');

test('a value opens with the master key and the context that it was sealed for', async () => {
  const sealed = await sealTo(await box.publicKey(), clear, 'a');
  expect(await new HpkeBox(master).open(sealed, 'a')).toEqual(clear);
  expect(sealed.includes(clear)).toBe(false);
  expect(await sealTo(await box.publicKey(), clear, 'a')).not.toEqual(sealed);
});

test('a value does not open with another context or key, nor with any byte changed or missing', async () => {
  const sealed = await sealTo(await box.publicKey(), clear, 'a');
  await expect(box.open(sealed, 'b')).rejects.toThrow();
  await expect(new HpkeBox(randomBytes(32)).open(sealed, 'a')).rejects.toThrow();
  await expect(box.open(sealed.subarray(0, 20), 'a')).rejects.toThrow();
  for (const at of [0, 31, 32, sealed.length - 1]) {
    const bent = Buffer.from(sealed);
    bent.writeUInt8(bent.readUInt8(at) ^ 1, at);
    await expect(box.open(bent, 'a')).rejects.toThrow();
  }
});

test('a value for one approval does not open for another, nor for another tenant', () => {
  expect(
    new Set([
      givenValueContext('ten_a', 'apr_1'),
      givenValueContext('ten_a', 'apr_2'),
      givenValueContext('ten_b', 'apr_1'),
    ]).size,
  ).toBe(3);
});
