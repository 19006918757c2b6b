// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { badLink } from '../store/index.ts';
import type { Upload } from './upload-delta.ts';

/** Vouches that what an upload names is stored for the tenant, at that length, and is what its kind may hold. @throws Fault `request.malformed`, `limit.exceeded` */
export async function verifyContents(blobs: BlobStore, tenantId: TenantId, upload: Upload): Promise<void> {
  const states = [...upload.values()].filter((state) => state !== null);
  const { max, fault } = LIMITS.deltaBytes;
  if (states.reduce((sum, { size }) => sum + size, 0) > max) throw new Fault(fault, `one change of a workspace brings at most ${max} bytes`);
  const named = states.flatMap(({ sha256, size }) => (sha256 === null ? [] : [{ sha256, size }]));
  const there = await blobs.sizes(tenantId, [...new Set(named.map(({ sha256 }) => sha256))]);
  if (named.some(({ sha256, size }) => there.get(sha256) !== size)) throw new Fault('request.malformed', 'the changes name contents that were not stored', { pointer: '/changes' });
  const link = await badLink(blobs, tenantId, [...upload].map(([path, after]) => ({ path, after })));
  if (link !== null) throw new Fault('request.malformed', link, { pointer: '/changes' });
}
