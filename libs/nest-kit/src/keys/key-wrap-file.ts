// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { Fault, parseMessage } from '@writ/contract';
import { JsonError, parseIJson } from '@writ/digest';
import { KeyStoreError } from '@writ/signing';
import { Type } from 'typebox';
import { readPrivate } from './key-file.ts';
import type { KeyWrap } from './key-wrap.ts';
import { Pkcs11, Pkcs11Wrap } from './pkcs11-wrap.ts';

/** The device, with a member for each kind. */
const KeyWrapFile = Type.Object({ pkcs11: Pkcs11 }, { additionalProperties: false });
const DEPTH_MAX = 4;

/**
 * Reads which device unwraps private keys: `{"pkcs11":{"module","token","key_id","pin_file"}}`. Sends the device no
 * request.
 * @throws KeyStoreError
 */
export function readKeyWrap(path: string): KeyWrap {
  try {
    const { pkcs11 } = parseMessage(KeyWrapFile, parseIJson(readFileSync(path, 'utf8'), { depthMax: DEPTH_MAX }));
    return new Pkcs11Wrap(pkcs11, () => readPrivate(pkcs11.pin_file).text.trim());
  } catch (cause) {
    if (cause instanceof Fault || cause instanceof JsonError)
      throw new KeyStoreError(`\`${path}\` names no device: ${cause.message}`, { cause });
    throw new KeyStoreError(`\`${path}\` can't be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown'})`, {
      cause,
    });
  }
}
