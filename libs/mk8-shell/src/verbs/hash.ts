// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';

/** A digest in lower-case hex, of sha256 by default. */
export const digestOf = (bytes: Uint8Array | string, algorithm = 'sha256'): string =>
  createHash(algorithm.toLowerCase()).update(bytes).digest('hex');
