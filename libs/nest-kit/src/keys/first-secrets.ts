// SPDX-License-Identifier: Apache-2.0
//
// Creates each secret of a new deployment. The caller stores it: `npm start` in files, the setup program in files or
// Secrets.
import { createHash, randomBytes } from 'node:crypto';

/** AES-256: the kernel wraps the tenants' keys with it, and the orchestrator seals the secrets of webhooks with it. */
const SEALING_KEY_BYTES = 32;
const PASSWORD_BYTES = 32;

/** 256 bits cannot be guessed; base64url needs no quoting in a URL or in a configuration file. */
export const newPassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');

/** A master key or a webhook key, in base64. */
export const newSealingKey = (): string => randomBytes(SEALING_KEY_BYTES).toString('base64');

/** The API key that may only create tenants. */
export const newPlatformKey = (): string => `writ_platform_${newPassword()}`;

/** The content of the file with which the orchestrator recognizes a platform key. */
export const platformKeyHash = (platformKey: string): string =>
  `${createHash('sha256').update(platformKey).digest('hex')}\n`;
