// SPDX-License-Identifier: Apache-2.0
import { FixedKeys, KeyStoreError, parseRing, type KeyStore } from '@writ/signing';
import { KeyFile, readKeyWrap } from './keys/index.ts';
import { named } from './variable-texts.ts';

/** Where keys may come from. A file is followed, and a device may wrap it. The environment does not change. */
export interface KeySource {
  /** a path */
  readonly file: string | undefined;
  /** a ring of keys or the PEM of one */
  readonly text: string | undefined;
  /** a path: which device unwraps the file; undefined where the file is not encrypted */
  readonly wrap: string | undefined;
}

/**
 * Opens the keys from `<variable>_FILE` or `<variable>`.
 * @throws Error that names the variable and the problem, and repeats no key
 */
export function keyStoreOf(variable: string, { file, text, wrap }: KeySource): KeyStore {
  if ((file === undefined) === (text === undefined))
    throw new Error(`the keys come by \`${variable}_FILE\` or by \`${variable}\`: set one of them`);
  const device = file === undefined || wrap === undefined ? null : named('WRIT_KEY_WRAP_FILE', () => readKeyWrap(wrap));
  try {
    return file === undefined ? new FixedKeys(parseRing(text ?? '')) : new KeyFile(file, device);
  } catch (error) {
    if (!(error instanceof KeyStoreError)) throw error;
    throw new Error(`\`${variable}${file === undefined ? '' : '_FILE'}\`: ${error.message}`, { cause: error });
  }
}
