// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS } from '@writ/contract';
import type { HpkeBox } from '@writ/sealing';

/**
 * Opens a value that the API sealed for `context`: `purpose` describes it in words.
 * @throws Fault `request.malformed` for one that isn't, is empty or is too long
 */
export async function openSealed(hpkeBox: HpkeBox, value: string, context: string, purpose: string): Promise<Buffer> {
  // Without a cause: callers must not see what the opening failed on.
  const clear = await hpkeBox.open(Buffer.from(value, 'base64'), context).catch(() => null);
  if (clear === null)
    throw new Fault('request.malformed', `the value is not sealed for this ${purpose}`, { pointer: '/value' });
  const { valueBytes } = LIMITS;
  if (clear.byteLength === 0 || clear.byteLength > valueBytes.max)
    throw new Fault(valueBytes.fault, `a value has 1 to ${String(valueBytes.max)} bytes`, { pointer: '/value' });
  return clear;
}
