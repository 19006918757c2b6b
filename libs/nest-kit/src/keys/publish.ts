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

/** Writes what is published of the rings. Callers MUST do so before a key that is new in them may sign. @throws KeyStoreError */
export function publishRings(rings: Readonly<Record<'permit' | 'record' | 'checkpoint', KeyRing>>, deployment: string, files: PublicFiles): void {
  const log = logKeysOf(rings.checkpoint, deployment);
  const record = publicKeysOf(rings.record);
  const write = (path: string, value: unknown): void => replaceFile(path, `${JSON.stringify(value, null, 2)}\n`, 0o644);
  write(files.permit, publicKeysOf(rings.permit));
  write(files.record, record);
  write(files.log, log.revoked.length === 0 ? { keys: log.keys } : log);
  replaceFile(files.checkpoint, formatRing(withoutPrivate(rings.checkpoint), () => null), 0o644);
  write(files.all, {
    record_keys: record.keys.map(({ closes_at: _, ...key }) => key),
    log_keys: log.keys,
    ...(log.revoked.length === 0 ? {} : { revoked_log_keys: log.revoked }),
  });
}

const withoutPrivate = ({ keys }: KeyRing): KeyRing => ({ keys: keys.map((key) => ({ ...key, signer: null })) });
