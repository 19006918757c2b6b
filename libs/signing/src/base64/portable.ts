// SPDX-License-Identifier: Apache-2.0
import type { Base64 } from './platform.ts';

/** The characters in which base64url differs from base64, both ways (RFC 4648 §5). */
const TO_URL: Readonly<Record<string, string>> = { '+': '-', '/': '_', '=': '' };
const FROM_URL: Readonly<Record<string, string>> = { '-': '+', _: '/' };
/** Bytes converted per call: a call can't have many more arguments. */
const CHUNK = 8_192;

function encode(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}

function decode(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

export const platform: Base64 = {
  encode: (bytes, alphabet) =>
    alphabet === 'base64'
      ? encode(bytes)
      : encode(bytes).replaceAll(/[+/=]/g, (character) => TO_URL[character] as string),
  decode: (text, alphabet) =>
    decode(alphabet === 'base64' ? text : text.replaceAll(/[-_]/g, (character) => FROM_URL[character] as string)),
};
