// SPDX-License-Identifier: Apache-2.0
import {
  formatRing,
  logKeysOf,
  publicKeysOf,
  type KeyRing,
  type PublicKeyEntry,
  type Purpose,
  type SigningKey,
} from '@writ/signing';
import { replaceFile } from './key-file.ts';

/** Paths of the public halves of the three rings, for verifiers. */
export interface PublicFiles {
  readonly permit: string;
  readonly record: string;
  readonly log: string;
  /** the ring of checkpoint keys without private ones: for the kernel, which records changes to them */
  readonly checkpoint: string;
  /** `writ-keys.json`: the keys that verify receipts */
  readonly all: string;
}

/** The rings of a deployment, by purpose. */
export type Rings = Readonly<Record<Purpose, KeyRing>>;

/** A changed ring. All keys that verifiers need for it are published before it is in force. */
export interface Announced {
  readonly purpose: Purpose;
  readonly changed: KeyRing;
}

/** The published part of the rings. */
export interface Published {
  readonly permit: readonly PublicKeyEntry[];
  readonly record: readonly PublicKeyEntry[];
  /** C2SP verifier keys */
  readonly log: { readonly keys: readonly string[]; readonly revoked: readonly string[] };
  /** The history of the checkpoint keys; announced changes are not in it yet. */
  readonly checkpoint: KeyRing;
}

/**
 * A ring with everything that a change adds for verifiers: its new keys, and later ends of existing ones.
 *
 * A change also narrows: it ends the old key, or revokes it. That is published once the ring is in force. If it were
 * published earlier and the run ended there, verifiers would reject signatures that the ring's key still makes.
 */
function widened({ keys }: KeyRing, changed: KeyRing): KeyRing {
  const known = new Set(keys.map(({ keyid }) => keyid));
  const wide = keys.map((key): SigningKey => {
    const other = changed.keys.find(({ keyid }) => keyid === key.keyid);
    if (other === undefined || key.not_after === null) return key;
    return { ...key, not_after: other.not_after === null ? null : Math.max(key.not_after, other.not_after) };
  });
  return { keys: [...wide, ...changed.keys.filter(({ keyid }) => !known.has(keyid))] };
}

/** The published part of the rings, and of a changed ring that is not in force yet. */
export function publishedOf(rings: Rings, deployment: string, announced: Announced | null = null): Published {
  const known: Rings =
    announced === null
      ? rings
      : { ...rings, [announced.purpose]: widened(rings[announced.purpose], announced.changed) };
  return {
    permit: publicKeysOf(known.permit).keys,
    record: publicKeysOf(known.record).keys,
    log: logKeysOf(known.checkpoint, deployment),
    checkpoint: rings.checkpoint,
  };
}

/** The text of each file. */
export function textsOf({ permit, record, log, checkpoint }: Published): Readonly<Record<keyof PublicFiles, string>> {
  const textOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  return {
    permit: textOf({ keys: permit }),
    record: textOf({ keys: record }),
    log: textOf(log.revoked.length === 0 ? { keys: log.keys } : log),
    checkpoint: formatRing(withoutPrivate(checkpoint), () => null),
    all: textOf({
      record_keys: record.map(({ closes_at: _, ...key }) => key),
      log_keys: log.keys,
      ...(log.revoked.length === 0 ? {} : { revoked_log_keys: log.revoked }),
    }),
  };
}

/** The published part of the rings: the text of each file. */
export const publishedTexts = (rings: Rings, deployment: string): Readonly<Record<keyof PublicFiles, string>> =>
  textsOf(publishedOf(rings, deployment));

/**
 * Writes the published part of the rings. Callers MUST announce a ring before it is in force. They MUST prevent
 * concurrent changes to the rings.
 * @throws KeyStoreError
 */
export function publishRings(
  rings: Rings,
  deployment: string,
  files: PublicFiles,
  announced: Announced | null = null,
): void {
  const texts = textsOf(publishedOf(rings, deployment, announced));
  for (const name of ['permit', 'record', 'log', 'checkpoint', 'all'] as const)
    replaceFile(files[name], texts[name], 0o644);
}

const withoutPrivate = ({ keys }: KeyRing): KeyRing => ({ keys: keys.map((key) => ({ ...key, signer: null })) });
