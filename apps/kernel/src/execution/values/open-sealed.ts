// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS } from '@writ/contract';
import type { HpkeBox } from '@writ/sealing';

/**
 * Opens a value that the API sealed for `context`: `purpose` says it in words.
 * @throws Fault `request.malformed` for one that isn't, is empty or is too long
 */
export async function openSealed(box: HpkeBox, value: string, context: string, purpose: string): Promise<Buffer> {
  // Without a cause: what an open failed on is nobody's to read.
  const clear = await box.open(Buffer.from(value, 'base64'), context).catch(() => null);
  if (clear === null)
    throw new Fault('request.malformed', `the value is not sealed for this ${purpose}`, { pointer: '/value' });
  const { valueBytes } = LIMITS;
  if (clear.byteLength === 0 || clear.byteLength > valueBytes.max)
    throw new Fault(valueBytes.fault, `a value has 1 to ${String(valueBytes.max)} bytes`, { pointer: '/value' });
  return clear;
}
