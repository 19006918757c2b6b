// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LOGIN_ROLES, type LoginRole } from '@writ/database';
import { formatRing, parseRing, PURPOSES, type KeyRing, type Purpose } from '@writ/signing';
import { firstRing, newKey, newPassword, newPlatformKey, newSealingKey, platformKeyHash, publishRings } from '@writ/nest-kit/keys';
import type { Setup } from '../setup.ts';
import { ensureSecret, keysDir } from './secret.ts';

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
  readonly checkpointPublicKeysFile: string;
  /** For everybody: what verifies receipts offline. */
  readonly publicKeysFile: string;
  /** May only create tenants. */
  readonly platformKey: string;
  readonly platformKeyHashFile: string;
  readonly rolePasswords: Readonly<Record<LoginRole, string>>;
}

const writeText = (path: string, text: string): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o644 });
  return path;
};

/** The first ring of a purpose: with the key that earlier versions kept as `<purpose>.pem`, if there is one. */
function newRing(stateDir: string, purpose: Purpose): string {
  const before = join(keysDir(stateDir), `${purpose}.pem`);
  if (!existsSync(before)) return firstRing(newKey());
  const pem = readFileSync(before, 'utf8');
  return formatRing(parseRing(pem), () => pem);
}

/**
 * The keys of a deployment on this machine: made at the first start, read at every later one. Private ones lie in `keys/`, readable by
 * us alone; public ones beside them.
 *
 * @param deployment names the log's key
 */
export const ensureKeys = (setup: Setup, deployment: string): Keys => {
  const { stateDir } = setup;
  const [permit, record, checkpoint] = PURPOSES.map((purpose): { path: string; ring: KeyRing } => {
    const { path, text } = ensureSecret(stateDir, `${purpose}.json`, () => newRing(stateDir, purpose));
    return { path, ring: parseRing(text) };
  }) as [{ path: string; ring: KeyRing }, { path: string; ring: KeyRing }, { path: string; ring: KeyRing }];
  const platformKey = ensureSecret(stateDir, 'platform-api-key', newPlatformKey).text;
  const open = (name: string): string => join(stateDir, 'public', name);
  mkdirSync(open('.'), { recursive: true });
  const published = { permit: open('permit-keys.json'), record: open('record-keys.json'), log: open('log-keys.json'), checkpoint: open('checkpoint-keys.json'), all: join(stateDir, 'public-keys.json') };
  publishRings({ permit: permit.ring, record: record.ring, checkpoint: checkpoint.ring }, deployment, published);
  return {
    permitKeyFile: permit.path,
    recordKeyFile: record.path,
    checkpointKeyFile: checkpoint.path,
    masterKeyFile: ensureSecret(stateDir, 'master.key', newSealingKey).path,
    webhookKeyFile: ensureSecret(stateDir, 'webhook.key', newSealingKey).path,
    permitPublicKeysFile: published.permit,
    recordPublicKeysFile: published.record,
    logPublicKeysFile: published.log,
    checkpointPublicKeysFile: published.checkpoint,
    publicKeysFile: published.all,
    platformKey,
    platformKeyHashFile: writeText(open('platform-key.sha256'), platformKeyHash(platformKey)),
    rolePasswords: Object.fromEntries(LOGIN_ROLES.map((role) => [role, ensureSecret(stateDir, `postgres-${role}`, newPassword).text])) as Record<LoginRole, string>,
  };
};
