// SPDX-License-Identifier: Apache-2.0
//
// Kubernetes itself provisions no volumes. Here a claim gets a folder of the node, in place of a cloud's provisioner.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from './api.ts';
import { NODE_NAME } from './pki.ts';

/** The cluster's default StorageClass, and the name of its provisioner. */
export const STORAGE_CLASS = 'writ-local';
const PROVISIONER = 'writ.local/volumes';

/** Short enough that a claim gets its volume soon, long enough that an idle cluster has little to do. */
const POLL_MS = 500;

const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The fields of a PersistentVolumeClaim that determine its volume. */
export interface Claim {
  readonly metadata: Metadata;
  readonly spec: {
    readonly storageClassName?: string;
    readonly volumeName?: string;
    readonly accessModes: readonly string[];
    readonly resources: { readonly requests: { readonly storage: string } };
  };
}

/** The fields of a PersistentVolume that show whether it is still needed. */
export interface Volume {
  readonly metadata: Metadata;
  readonly status?: { readonly phase?: string };
}

const volumeName = ({ metadata: { uid } }: Claim): string => `pvc-${uid}`;

/** The claims that wait for one of our volumes. */
export const claimsToServe = (claims: readonly Claim[], volumes: readonly Volume[]): Claim[] => {
  const names = new Set(volumes.map(({ metadata: { name } }) => name));
  return claims.filter((claim) => {
    const { storageClassName, volumeName: bound } = claim.spec;
    return storageClassName === STORAGE_CLASS && !bound && !names.has(volumeName(claim));
  });
};

/** Our volumes whose claims are gone. */
export const volumesToRemove = (volumes: readonly Volume[]): Volume[] =>
  volumes.filter(
    ({ metadata, status }) => metadata.annotations?.[PROVISIONED_BY] === PROVISIONER && status?.phase === 'Released',
  );

/**
 * A volume for a claim: a `local` folder, whose group the kubelet sets to the pod's. It doesn't do that for `hostPath`.
 */
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

/** The StorageClass, for the cluster's manifest. Claims without a class get it. */
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

/** Creates the volumes of waiting claims, and removes those without a claim. */
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
 * Serves claims until it is stopped. Reports each outage of the API server once.
 *
 * @param dir absolute path of the folder of volumes, the same for this process and for the node
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
