// SPDX-License-Identifier: Apache-2.0
//
// How each secret of a new deployment is made. Where it is kept is the caller's: `npm start` keeps files, the setup
// program files or Secrets.
import { createHash, randomBytes } from 'node:crypto';

/**
 * AES-256: what the kernel wraps the tenants' keys with, and what the orchestrator seals the secrets of webhooks with.
 */
const SEALING_KEY_BYTES = 32;
const PASSWORD_BYTES = 32;

/** 256 bits: not to be guessed, and safe in a URL and in a configuration file without quoting. */
export const newPassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');

/** A master key or a webhook key, in base64. */
export const newSealingKey = (): string => randomBytes(SEALING_KEY_BYTES).toString('base64');

/** The API key that may only create tenants. */
export const newPlatformKey = (): string => `writ_platform_${newPassword()}`;

/** The text of the file that the orchestrator knows a platform key by. */
export const platformKeyHash = (platformKey: string): string =>
  `${createHash('sha256').update(platformKey).digest('hex')}\n`;
