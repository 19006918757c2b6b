// SPDX-License-Identifier: Apache-2.0
import { formatRing, logKeysOf, publicKeysOf, type KeyRing } from '@writ/signing';
import { replaceFile } from './key-file.ts';

/** Where the public halves of the three rings are for those who verify. */
export interface PublicFiles {
  readonly permit: string;
  readonly record: string;
  readonly log: string;
  /** the ring of checkpoint keys without private ones: for the kernel, which records what becomes of them */
  readonly checkpoint: string;
  /** `writ-keys.json`: what verifies receipts */
  readonly all: string;
}

/** What is published of the rings: the text of each file. */
export function publishedTexts(rings: Readonly<Record<'permit' | 'record' | 'checkpoint', KeyRing>>, deployment: string): Readonly<Record<keyof PublicFiles, string>> {
  const log = logKeysOf(rings.checkpoint, deployment);
  const record = publicKeysOf(rings.record);
  const textOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  return {
    permit: textOf(publicKeysOf(rings.permit)),
    record: textOf(record),
    log: textOf(log.revoked.length === 0 ? { keys: log.keys } : log),
    checkpoint: formatRing(withoutPrivate(rings.checkpoint), () => null),
    all: textOf({
      record_keys: record.keys.map(({ closes_at: _, ...key }) => key),
      log_keys: log.keys,
      ...(log.revoked.length === 0 ? {} : { revoked_log_keys: log.revoked }),
    }),
  };
}

/** Writes what is published of the rings. Callers MUST do so before a key that is new in them may sign. @throws KeyStoreError */
export function publishRings(rings: Readonly<Record<'permit' | 'record' | 'checkpoint', KeyRing>>, deployment: string, files: PublicFiles): void {
  const texts = publishedTexts(rings, deployment);
  for (const name of ['permit', 'record', 'log', 'checkpoint', 'all'] as const) replaceFile(files[name], texts[name], 0o644);
}

const withoutPrivate = ({ keys }: KeyRing): KeyRing => ({ keys: keys.map((key) => ({ ...key, signer: null })) });
