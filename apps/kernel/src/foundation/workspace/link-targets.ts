// SPDX-License-Identifier: Apache-2.0
import type { Change, TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { LINK_TARGET_BYTES_MAX, linkTargetFault, quote } from '@writ/workspace';

/** Targets that one round trip reads and that are held at once: less than a MiB. */
const READ_AT_ONCE = 128;
const NONE: ReadonlyMap<string, Uint8Array> = new Map();

/**
 * Why one of these changes makes a link that no workspace may hold, in words, or null. The targets MUST be stored with
 * the given size, or be in `along`. A target that is longer than allowed isn't read.
 */
export async function findLinkFault(
  blobs: BlobStore,
  tenantId: TenantId,
  changes: readonly Pick<Change, 'path' | 'after'>[],
  supplied: ReadonlyMap<string, Uint8Array> = NONE,
): Promise<string | null> {
  const links = changes.flatMap(({ path, after }) =>
    after?.kind === 'symlink' && after.sha256 !== null ? [{ path, sha256: after.sha256, size: after.size }] : [],
  );
  const tooLong = links.find(({ size }) => size > LINK_TARGET_BYTES_MAX);
  if (tooLong) return `the target of the link ${quote(tooLong.path)} is longer than ${LINK_TARGET_BYTES_MAX} bytes`;
  for (let at = 0; at < links.length; at += READ_AT_ONCE) {
    const some = links.slice(at, at + READ_AT_ONCE);
    const elsewhere = [...new Set(some.map(({ sha256 }) => sha256))].filter((sha256) => !supplied.has(sha256));
    const read = elsewhere.length === 0 ? NONE : await blobs.getMany(tenantId, elsewhere);
    for (const { path, sha256 } of some) {
      const fault = linkTargetFault(supplied.get(sha256) ?? read.get(sha256) ?? new Uint8Array());
      if (fault !== null) return `the target of the link ${quote(path)} ${fault}`;
    }
  }
  return null;
}
