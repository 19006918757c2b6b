// SPDX-License-Identifier: Apache-2.0
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StateDir } from '../supervisor/clean-up.ts';
import { SetupError } from '../setup-error.ts';

/** A cluster's files on the machine. */
export interface ClusterPaths {
  /** Certificates and keys, new at each start. */
  readonly pki: string;
  /** Configuration of the node's processes. */
  readonly etc: string;
  /** Kept between starts: containerd's images. */
  readonly images: string;
  /** Removed at each end: etcd, the kubelet's folder, pod logs, pod addresses. */
  readonly data: string;
  /** Folders for volume claims. */
  readonly volumes: string;
  /** The mount for `/var/log` in the node's mount namespace. */
  readonly log: string;
  /** An administrator's kubeconfig, for programs of this machine. */
  readonly kubeconfig: string;
  /** `NodeFacts` as JSON, which the supervisor writes when the node is ready. */
  readonly facts: string;
}

/** Paths that are equal in every node: each has its own `/run` and `/var/lib`. */
export const IN_NODE = {
  containerdSocket: '/run/containerd/containerd.sock',
  cniBin: '/usr/lib/cni',
  kubelet: '/var/lib/kubelet',
} as const;

/** Folders that the node's mount namespace hides. */
const HIDDEN = ['/run', '/var/run', '/var/log', '/var/lib'];

/** The paths below a state directory. Throws `SetupError` where the node couldn't see them. */
export const clusterPaths = (stateDir: string): ClusterPaths => {
  const hidden = HIDDEN.find((dir) => stateDir === dir || stateDir.startsWith(`${dir}/`));
  if (hidden !== undefined) {
    throw new SetupError(`the cluster can't keep its state in ${stateDir}: its node has a ${hidden} of its own`, [
      'set WRIT_STATE_DIR to a directory elsewhere',
    ]);
  }
  const data = join(stateDir, 'data');
  return {
    pki: join(stateDir, 'pki'),
    etc: join(stateDir, 'etc'),
    images: join(stateDir, 'images'),
    data,
    volumes: join(data, 'volumes'),
    log: join(data, 'log'),
    kubeconfig: join(stateDir, 'kubeconfig'),
    facts: join(stateDir, 'run', 'node.json'),
  };
};

/** Creates the folders for the node's processes, some of them with keys. */
export const makeFolders = ({ pki, etc, images, data, volumes, log }: ClusterPaths): void => {
  for (const dir of [
    pki,
    etc,
    join(etc, 'cni'),
    join(etc, 'sysctl'),
    images,
    data,
    volumes,
    log,
    join(data, 'etcd'),
    join(data, 'kubelet'),
  ]) {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  }
};

/** The role of a supervisor with a running node, in the lock of a state directory. */
export const SUPERVISOR_ROLE = 'cluster';

/** The name of the machine's end of the link to the node: at most 15 characters. */
export const linkName = ({ stateId }: Pick<StateDir, 'stateId'>): string => `writ-${stateId.slice(0, 8)}`;

/** The parent control group of all pods. */
export const cgroupName = ({ stateId }: Pick<StateDir, 'stateId'>): string => `writ-${stateId}`;
