// SPDX-License-Identifier: Apache-2.0
import { ID_KINDS, type Id } from '@writ/contract';
import { sha256 } from '@writ/digest';

/** Random bytes of a key: nobody guesses 256 bits, so a plain hash of it is enough. */
export const KEY_BYTES = 32;

/**
 * Writes a key: `writ_<26 characters of its id>_<43 of base64url>`. The id in it lets a person say which key leaked.
 */
export function formatApiKey(id: Id<'apiKey'>, random: Uint8Array): string {
  if (random.length !== KEY_BYTES) throw new Error(`a key takes ${KEY_BYTES} random bytes`);
  return `writ_${id.slice(ID_KINDS.apiKey.length + 1)}_${Buffer.from(random).toString('base64url')}`;
}

/** Tells whether a text has the form of a key, so that other texts are not looked up. */
export function isApiKeyText(text: string): boolean {
  return /^writ_[0-7][0-9a-hjkmnp-tv-z]{25}_[A-Za-z0-9_-]{43}$/.test(text);
}

/** Writes a credential that was exchanged: as a key, in a form of its own, so that none is taken for the other. */
export function formatExchanged(id: Id<'apiKey'>, random: Uint8Array): string {
  return formatApiKey(id, random).replace(/^writ_/, 'writ_x_');
}

/** Tells whether a text has the form of a credential that was exchanged. */
export function isExchangedText(text: string): boolean {
  return text.startsWith('writ_x_') && isApiKeyText(text.replace(/^writ_x_/, 'writ_'));
}

/** The hash under which a key is stored. */
export function hashApiKey(text: string): Uint8Array {
  return sha256(Buffer.from(text, 'utf8'));
}
