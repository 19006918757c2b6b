// SPDX-License-Identifier: Apache-2.0
//
// Kubernetes makes no volumes by itself. Here a claim gets a folder of the node: what a cloud's provisioner is
// elsewhere.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from './api.ts';
import { NODE_NAME } from './pki.ts';

/** The default StorageClass of the cluster, and the name of what makes its volumes. */
export const STORAGE_CLASS = 'writ-local';
const PROVISIONER = 'writ.local/volumes';

/** Soon enough that nobody waits for a volume, seldom enough that an idle cluster has nothing to do. */
const POLL_MS = 500;

const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The fields of a PersistentVolumeClaim that a volume is made from. */
export interface Claim {
  readonly metadata: Metadata;
  readonly spec: {
    readonly storageClassName?: string;
    readonly volumeName?: string;
    readonly accessModes: readonly string[];
    readonly resources: { readonly requests: { readonly storage: string } };
  };
}

/** The fields of a PersistentVolume that say whether it is still needed. */
export interface Volume {
  readonly metadata: Metadata;
  readonly status?: { readonly phase?: string };
}

const volumeName = ({ metadata: { uid } }: Claim): string => `pvc-${uid}`;

/** The claims that wait for a volume of ours which isn't there yet. */
export const claimsToServe = (claims: readonly Claim[], volumes: readonly Volume[]): Claim[] => {
  const names = new Set(volumes.map(({ metadata: { name } }) => name));
  return claims.filter((claim) => {
    const { storageClassName, volumeName: bound } = claim.spec;
    return storageClassName === STORAGE_CLASS && !bound && !names.has(volumeName(claim));
  });
};

/** The volumes of ours whose claims are gone. */
export const volumesToRemove = (volumes: readonly Volume[]): Volume[] =>
  volumes.filter(
    ({ metadata, status }) => metadata.annotations?.[PROVISIONED_BY] === PROVISIONER && status?.phase === 'Released',
  );

/** A volume for a claim: a folder that the kubelet gives to the pod's group, which it doesn't do with a `hostPath`. */
export const volumeFor = (claim: Claim, dir: string): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: volumeName(claim), annotations: { [PROVISIONED_BY]: PROVISIONER } },
  spec: {
    storageClassName: STORAGE_CLASS,
    capacity: { storage: claim.spec.resources.requests.storage },
    accessModes: claim.spec.accessModes,
    persistentVolumeReclaimPolicy: 'Delete',
    claimRef: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: claim.metadata.namespace,
      name: claim.metadata.name,
      uid: claim.metadata.uid,
    },
    local: { path: join(dir, volumeName(claim)) },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [NODE_NAME] }] },
        ],
      },
    },
  },
});

/** The StorageClass, for the manifest of the cluster. Claims that name no class get it. */
export const storageClass = (): object => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: STORAGE_CLASS, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: PROVISIONER,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
});

const list = async <T>(api: Api, path: string): Promise<T[]> =>
  (JSON.parse(await api.get(path)) as { items: T[] }).items;

const VOLUMES = '/api/v1/persistentvolumes';

/** Makes the volumes that claims wait for, and removes those that nobody claims any more. */
export const provisionOnce = async (api: Api, dir: string): Promise<void> => {
  const claims = await list<Claim>(api, '/api/v1/persistentvolumeclaims');
  const volumes = await list<Volume>(api, VOLUMES);
  for (const claim of claimsToServe(claims, volumes)) {
    mkdirSync(join(dir, volumeName(claim)), { recursive: true });
    await api.send('POST', VOLUMES, volumeFor(claim, dir));
  }
  for (const { metadata } of volumesToRemove(volumes)) {
    rmSync(join(dir, metadata.name), { recursive: true, force: true });
    await api.send('DELETE', `${VOLUMES}/${metadata.name}`);
  }
};

/**
 * Serves claims until it is stopped. The API server may be away for a while, which is told once each time.
 *
 * @param dir absolute path of the folder that holds the volumes, the same for this process and for the node
 */
export const provisionVolumes = async (
  api: Api,
  dir: string,
  stop: AbortSignal,
  report: (line: string) => void,
): Promise<void> => {
  let failing = false;
  while (!stop.aborted) {
    try {
      await provisionOnce(api, dir);
      failing = false;
    } catch (error) {
      if (!failing && !stop.aborted) report(`volumes can't be made: ${String(error)}`);
      failing = true;
    }
    await delay(POLL_MS, undefined, { signal: stop }).catch(() => undefined);
  }
};
