// SPDX-License-Identifier: Apache-2.0
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LOGIN_ROLES, type LoginRole } from '@writ/database';
import { formatNoteKey, parseSigner, type Signer } from '@writ/signing';
import type { Setup } from '../setup.ts';
import { ensureSecret, newPassword } from './secret.ts';

/** Paths of what the services read, and the few secrets that the set-up itself needs. */
export interface Keys {
  readonly permitKeyFile: string;
  readonly recordKeyFile: string;
  readonly checkpointKeyFile: string;
  readonly masterKeyFile: string;
  readonly webhookKeyFile: string;
  readonly permitPublicKeysFile: string;
  readonly recordPublicKeysFile: string;
  readonly logPublicKeysFile: string;
  /** For everybody: what verifies receipts offline. */
  readonly publicKeysFile: string;
  /** May only create tenants. */
  readonly platformKey: string;
  readonly platformKeyHashFile: string;
  readonly rolePasswords: Readonly<Record<LoginRole, string>>;
}

/** AES-256: what the kernel wraps the tenants' keys with, and what the orchestrator seals the secrets of webhooks with. */
const SEALING_KEY_BYTES = 32;

const newSigningKey = (): string => generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const newSealingKey = (): string => randomBytes(SEALING_KEY_BYTES).toString('base64');
const newPlatformKey = (): string => `writ_platform_${newPassword()}`;

const publicKey = ({ keyid, publicJwk }: Signer): { keyid: string; jwk: Signer['publicJwk'] } => ({ keyid, jwk: publicJwk });

const writeText = (path: string, text: string): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o644 });
  return path;
};

const writeJson = (path: string, value: unknown): string => writeText(path, `${JSON.stringify(value, null, 2)}\n`);

/**
 * The keys of a deployment on this machine: made at the first start, read at every later one. Private ones lie in `keys/`, readable by
 * us alone; public ones beside them.
 *
 * @param deployment names the log's key
 */
export const ensureKeys = (setup: Setup, deployment: string): Keys => {
  const { stateDir } = setup;
  const signing = (name: string): { path: string; signer: Signer } => {
    const { path, text } = ensureSecret(stateDir, name, newSigningKey);
    return { path, signer: parseSigner(text) };
  };
  const [permit, record, checkpoint] = [signing('permit.pem'), signing('record.pem'), signing('checkpoint.pem')];
  const platformKey = ensureSecret(stateDir, 'platform-api-key', newPlatformKey).text;
  const logKeys = [formatNoteKey(deployment, checkpoint.signer.publicKey)];
  const recordKeys = [publicKey(record.signer)];
  const open = (name: string): string => join(stateDir, 'public', name);
  return {
    permitKeyFile: permit.path,
    recordKeyFile: record.path,
    checkpointKeyFile: checkpoint.path,
    masterKeyFile: ensureSecret(stateDir, 'master.key', newSealingKey).path,
    webhookKeyFile: ensureSecret(stateDir, 'webhook.key', newSealingKey).path,
    permitPublicKeysFile: writeJson(open('permit-keys.json'), { keys: [publicKey(permit.signer)] }),
    recordPublicKeysFile: writeJson(open('record-keys.json'), { keys: recordKeys }),
    logPublicKeysFile: writeJson(open('log-keys.json'), { keys: logKeys }),
    publicKeysFile: writeJson(join(stateDir, 'public-keys.json'), { record_keys: recordKeys, log_keys: logKeys }),
    platformKey,
    platformKeyHashFile: writeText(open('platform-key.sha256'), `${createHash('sha256').update(platformKey).digest('hex')}\n`),
    rolePasswords: Object.fromEntries(LOGIN_ROLES.map((role) => [role, ensureSecret(stateDir, `postgres-${role}`, newPassword).text])) as Record<LoginRole, string>,
  };
};
