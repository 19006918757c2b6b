// SPDX-License-Identifier: Apache-2.0
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatNoteKey, parseSigner, type Signer } from '@writ/signing';

/** The keys of one test deployment, as files. */
export interface StackKeys {
  readonly platformKey: string;
  readonly publicKeysFile: string;
  readonly permit: Signer;
  readonly file: (name: string) => string;
}

/** Makes the keys of a deployment in a folder. */
export function makeKeys(folder: string, deployment: string): StackKeys {
  mkdirSync(folder, { recursive: true });
  const file = (name: string): string => join(folder, name);
  const signing = (name: string): Signer => {
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    writeFileSync(file(name), pem, { mode: 0o600 });
    return parseSigner(pem);
  };
  const [permit, record, checkpoint] = [signing('permit.pem'), signing('record.pem'), signing('checkpoint.pem')];
  const json = (name: string, value: unknown): void => writeFileSync(file(name), JSON.stringify(value));
  const publicKey = ({ keyid, publicJwk }: Signer) => ({ keyid, jwk: publicJwk });
  const logKeys = [formatNoteKey(deployment, checkpoint.publicKey)];
  json('permit-keys.json', { keys: [publicKey(permit)] });
  json('record-keys.json', { keys: [publicKey(record)] });
  json('log-keys.json', { keys: logKeys });
  json('public-keys.json', { record_keys: [publicKey(record)], log_keys: logKeys });
  for (const name of ['master.key', 'webhook.key']) writeFileSync(file(name), randomBytes(32).toString('base64'), { mode: 0o600 });
  const platformKey = `writ_platform_${randomBytes(32).toString('base64url')}`;
  writeFileSync(file('platform-key.sha256'), createHash('sha256').update(platformKey).digest('hex'));
  return { platformKey, publicKeysFile: file('public-keys.json'), permit, file };
}
