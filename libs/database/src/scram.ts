// SPDX-License-Identifier: Apache-2.0
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';

/** Postgres' own default (scram_iterations). */
const ITERATIONS = 4096;

/**
 * The SCRAM-SHA-256 verifier of a password (RFC 5803 §2, RFC 7677), in the form for `ALTER ROLE … PASSWORD`. So the
 * password itself appears in no statement and in no server log. `salt` is 16 random bytes. Throws on a password that
 * isn't printable ASCII, which would need SASLprep (RFC 4013).
 */
export function scramVerifier(password: string, salt: Uint8Array): string {
  if (!/^[\x21-\x7e]+$/.test(password)) throw new Error('a database password must be printable ASCII without spaces');
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const hmac = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${Buffer.from(salt).toString('base64')}$${stored}:${hmac('Server Key').toString('base64')}`;
}
