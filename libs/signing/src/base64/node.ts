// SPDX-License-Identifier: Apache-2.0
import type { Base64 } from './platform.ts';

export const platform: Base64 = {
  encode: (bytes, alphabet) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(alphabet),
  decode: (text, alphabet) => new Uint8Array(Buffer.from(text, alphabet)),
};
