// SPDX-License-Identifier: Apache-2.0
import { memoryBlobs, type BlobStore } from '@writ/blobs';
import { formatId } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { findLinkFault } from './link-targets.ts';

const tenantId = formatId('tenant', new Uint8Array(16));
const link = (path: string, target: string | Uint8Array) => {
  const bytes = Buffer.from(target);
  return { path, after: { kind: 'symlink' as const, mode: null, sha256: sha256Hex(bytes), size: bytes.length } };
};

test('links whose targets are text are accepted, stored or supplied', async () => {
  const blobs = memoryBlobs();
  await blobs.put(tenantId, Buffer.from('/etc/passwd'));
  const along = new Map([[sha256Hex(Buffer.from('../up')), Buffer.from('../up')]]);
  expect(
    await findLinkFault(
      blobs,
      tenantId,
      [link('a', '/etc/passwd'), link('b', '../up'), { path: 'c', after: null }],
      along,
    ),
  ).toBeNull();
});

test.each([
  ['holds a control character', 'two\nlines'],
  ['is not UTF-8 or holds NUL', 'a\0'],
  ['is empty', ''],
])('a target that %s is found among hundreds, at any position', async (why, target) => {
  const blobs = memoryBlobs();
  const links = [...Array.from({ length: 300 }, (_, i) => link(`l${i}`, `t${i}`)), link('bad', target)];
  await blobs.putMany(tenantId, [...Array.from({ length: 300 }, (_, i) => Buffer.from(`t${i}`)), Buffer.from(target)]);
  expect(await findLinkFault(blobs, tenantId, links)).toBe(`the target of the link \`bad\` ${why}`);
});

test('a target that is longer than allowed is not read', async () => {
  const blobs = new Proxy(memoryBlobs(), {
    get: () => () => Promise.reject(new Error('nothing may be read')),
  }) as BlobStore;
  expect(await findLinkFault(blobs, tenantId, [link('far', 'x'.repeat(4096))])).toMatch(
    /`far` is longer than 4095 bytes/,
  );
});
