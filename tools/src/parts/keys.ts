// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LOGIN_ROLES, type LoginRole } from '@writ/database';
import { formatRing, KeyStoreError, parseRing, PURPOSES, type Purpose } from '@writ/signing';
import {
  firstRing,
  newKey,
  newPassword,
  newPlatformKey,
  newSealingKey,
  platformKeyHash,
  publishedTexts,
  publishRings,
  whileRingsAreLocked,
  type PublicFiles,
  type Rings,
} from '@writ/nest-kit/keys';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { ensureSecret, keysDir } from './secret.ts';

/** Paths of the services' key files, and the few secrets of the set-up itself. */
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
  /** Public: verifies receipts offline. */
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

/** The first ring of a purpose, with an earlier version's key `<purpose>.pem` if there is one. */
function newRing(stateDir: string, purpose: Purpose): string {
  const before = join(keysDir(stateDir), `${purpose}.pem`);
  if (!existsSync(before)) return firstRing(newKey());
  const pem = readFileSync(before, 'utf8');
  return formatRing(parseRing(pem), () => pem);
}

/**
 * Publishes the rings' public keys, where the published ones differ. `writ signing-keys` may change the rings at the
 * same time.
 * @throws SetupError where it does: the written file could lack the key that it publishes
 */
function ensurePublished(
  stateDir: string,
  paths: Record<Purpose, string>,
  deployment: string,
  files: PublicFiles,
): void {
  const read = (): Rings =>
    Object.fromEntries(PURPOSES.map((purpose) => [purpose, parseRing(readFileSync(paths[purpose], 'utf8'))])) as Rings;
  const texts = publishedTexts(read(), deployment);
  const names = Object.keys(files) as (keyof PublicFiles)[];
  if (names.every((name) => existsSync(files[name]) && readFileSync(files[name], 'utf8') === texts[name])) return;
  try {
    whileRingsAreLocked(keysDir(stateDir), () => publishRings(read(), deployment, files));
  } catch (error) {
    if (error instanceof KeyStoreError) throw new SetupError(error.message, [], error);
    throw error;
  }
}

/**
 * The keys of a deployment on this machine: created at the first start, read at every later one. Private keys are in
 * `keys/`, readable only by their owner; public ones beside it.
 *
 * @param deployment names the log's key
 */
export const ensureKeys = (setup: Setup, deployment: string): Keys => {
  const { stateDir } = setup;
  const paths = Object.fromEntries(
    PURPOSES.map((purpose) => [
      purpose,
      ensureSecret(stateDir, `${purpose}.json`, () => newRing(stateDir, purpose)).path,
    ]),
  ) as Record<Purpose, string>;
  const platformKey = ensureSecret(stateDir, 'platform-api-key', newPlatformKey).text;
  const open = (name: string): string => join(stateDir, 'public', name);
  mkdirSync(open('.'), { recursive: true });
  const published = {
    permit: open('permit-keys.json'),
    record: open('record-keys.json'),
    log: open('log-keys.json'),
    checkpoint: open('checkpoint-keys.json'),
    all: join(stateDir, 'public-keys.json'),
  };
  ensurePublished(stateDir, paths, deployment, published);
  return {
    permitKeyFile: paths.permit,
    recordKeyFile: paths.record,
    checkpointKeyFile: paths.checkpoint,
    masterKeyFile: ensureSecret(stateDir, 'master.key', newSealingKey).path,
    webhookKeyFile: ensureSecret(stateDir, 'webhook.key', newSealingKey).path,
    permitPublicKeysFile: published.permit,
    recordPublicKeysFile: published.record,
    logPublicKeysFile: published.log,
    checkpointPublicKeysFile: published.checkpoint,
    publicKeysFile: published.all,
    platformKey,
    platformKeyHashFile: writeText(open('platform-key.sha256'), platformKeyHash(platformKey)),
    rolePasswords: Object.fromEntries(
      LOGIN_ROLES.map((role) => [role, ensureSecret(stateDir, `postgres-${role}`, newPassword).text]),
    ) as Record<LoginRole, string>,
  };
};
