// SPDX-License-Identifier: Apache-2.0
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstRing, newKey, publishRings, type NewKey } from '@writ/nest-kit/keys';
import { ringOf, type Signer } from '@writ/signing';

/** The keys of one test deployment, as files. */
export interface StackKeys {
  readonly platformKey: string;
  readonly publicKeysFile: string;
  readonly permit: Signer;
  readonly record: Signer;
  readonly checkpoint: Signer;
  readonly file: (name: string) => string;
}

/** Makes the keys of a deployment in a folder. */
export function makeKeys(folder: string, deployment: string): StackKeys {
  mkdirSync(folder, { recursive: true });
  const file = (name: string): string => join(folder, name);
  const signing = (name: string): NewKey => {
    const key = newKey();
    writeFileSync(file(name), firstRing(key), { mode: 0o600 });
    return key;
  };
  const [permit, record, checkpoint] = [signing('permit.json'), signing('record.json'), signing('checkpoint.json')];
  publishRings(
    { permit: ringOf(permit.signer), record: ringOf(record.signer), checkpoint: ringOf(checkpoint.signer) },
    deployment,
    {
      permit: file('permit-keys.json'),
      record: file('record-keys.json'),
      log: file('log-keys.json'),
      checkpoint: file('checkpoint-keys.json'),
      all: file('public-keys.json'),
    },
  );
  for (const name of ['master.key', 'webhook.key'])
    writeFileSync(file(name), randomBytes(32).toString('base64'), { mode: 0o600 });
  const platformKey = `writ_platform_${randomBytes(32).toString('base64url')}`;
  writeFileSync(file('platform-key.sha256'), createHash('sha256').update(platformKey).digest('hex'));
  return {
    platformKey,
    publicKeysFile: file('public-keys.json'),
    permit: permit.signer,
    record: record.signer,
    checkpoint: checkpoint.signer,
    file,
  };
}
