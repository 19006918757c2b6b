// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Api } from './api.ts';
import { claimsToServe, provisionOnce, STORAGE_CLASS, volumeFor, volumesToRemove, type Claim } from './volumes.ts';

const claim = (uid: string, spec: Partial<Claim['spec']> = {}): Claim => ({
  metadata: { name: 'data', namespace: 'shop', uid },
  spec: {
    storageClassName: STORAGE_CLASS,
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    ...spec,
  },
});
const OURS = { 'pv.kubernetes.io/provisioned-by': 'writ.local/volumes' };

test('a claim gets one volume, and only with our storage class', () => {
  const waiting = claim('1');
  const others = [claim('2', { storageClassName: 'fast' }), claim('3', { volumeName: 'pvc-3' }), claim('4')];
  expect(claimsToServe([waiting, ...others], [{ metadata: { name: 'pvc-4' } }])).toEqual([waiting]);
});

test('only our volumes are removed when their claims are gone', () => {
  const volume = (name: string, phase: string, annotations = {}) => ({
    metadata: { name, annotations },
    status: { phase },
  });
  const released = volume('pvc-1', 'Released', OURS);
  expect(volumesToRemove([released, volume('pvc-2', 'Bound', OURS), volume('nfs', 'Released')])).toEqual([released]);
});

test('a volume is a folder on the only node, reserved for its claim', () => {
  expect(volumeFor(claim('1'), '/volumes')).toMatchObject({
    spec: {
      local: { path: '/volumes/pvc-1' },
      claimRef: { namespace: 'shop', name: 'data', uid: '1' },
      capacity: { storage: '1Gi' },
      persistentVolumeReclaimPolicy: 'Delete',
    },
  });
});

test('folders come and go with their volumes', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'writ-volumes-'));
  mkdirSync(join(dir, 'pvc-9'));
  const lists: Record<string, object[]> = {
    '/api/v1/persistentvolumeclaims': [claim('1')],
    '/api/v1/persistentvolumes': [{ metadata: { name: 'pvc-9', annotations: OURS }, status: { phase: 'Released' } }],
  };
  const sent: string[] = [];
  const api: Api = {
    get: async (path) => JSON.stringify({ items: lists[path] }),
    send: async (method, path) => {
      sent.push(`${method} ${path}`);
    },
  };
  await provisionOnce(api, dir);
  expect(sent).toEqual(['POST /api/v1/persistentvolumes', 'DELETE /api/v1/persistentvolumes/pvc-9']);
  expect([existsSync(join(dir, 'pvc-1')), existsSync(join(dir, 'pvc-9'))]).toEqual([true, false]);
  rmSync(dir, { recursive: true });
});
