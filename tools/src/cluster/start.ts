// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntilReady } from '../parts/ready.ts';
import type { Identity } from '../process/identity.ts';
import { launch, type Child } from '../process/launch.ts';
import { logTail } from '../process/log-tail.ts';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import type { KeptService } from '../supervisor/keep-running.ts';
import type { Addresses } from './address.ts';
import { isNodeReady, newApi, type Api } from './api.ts';
import { makeGroup } from './cgroups.ts';
import { apiUrl, cniConfig, containerdConfig, kubeconfig, kubeletConfig, kubeProxyConfig } from './configuration.ts';
import { containerdAnswers, importMissing } from './containerd.ts';
import type { ImageArchive } from './images.ts';
import { clusterManifest, NAME_SERVER, NAME_SERVER_NAMESPACE } from './name-server.ts';
import { enter, makeNamespaces, NODE_ENVIRONMENT } from './namespaces.ts';
import { cgroupName, clusterPaths, makeFolders, type ClusterPaths } from './paths.ts';
import { newClusterPki, NODE_NAME, type ClusterPki } from './pki.ts';
import { nodePrograms, type NodeBinaries, type NodeProgram } from './programs.ts';
import { mustRun } from './run-command.ts';

/** What others need to know of a running node. */
export interface NodeFacts {
  /** Absolute path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Where this machine reaches the API server (port 6443) and NodePorts. */
  readonly nodeIp: string;
  readonly apiUrl: string;
  readonly kubectl: string;
  readonly ctr: string;
  /** The process that holds the node's namespaces. */
  readonly holder: Identity;
}

/** A node that runs, and the processes that its supervisor watches. */
export interface StartedNode {
  readonly facts: NodeFacts;
  /** May end and are started again. */
  readonly kept: readonly KeptService[];
  /** Whose end is the node's. */
  readonly vital: readonly Child[];
}

const CONTAINERD_MS = 30_000;
/** At a cold page cache, beside other work. */
const API_MS = 120_000;
const NODE_MS = 180_000;
const POLL_MS = 200;

/** All that these processes hold is removed at the end, so they are killed; containerd keeps images. */
const CONTAINERD_GRACE_MS = 5_000;
const GRACE_MS = 2_000;

const writeFiles = (paths: ClusterPaths, pki: ClusterPki, addresses: Addresses, cgroup: string): void => {
  const secret = (path: string, text: string): void => {
    writeFileSync(path, text, { mode: 0o600 });
  };
  const { ca, frontCa, issued, serviceAccounts } = pki;
  for (const [name, { cert, key }] of Object.entries({ ...issued, ca, 'front-ca': frontCa })) {
    secret(join(paths.pki, `${name}.crt`), cert);
    secret(join(paths.pki, `${name}.key`), key);
  }
  secret(join(paths.pki, 'sa.pub'), serviceAccounts.cert);
  secret(join(paths.pki, 'sa.key'), serviceAccounts.key);
  for (const name of ['admin', 'kubelet', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy'] as const) {
    secret(join(paths.etc, `${name}.kubeconfig`), kubeconfig(apiUrl(addresses), name, ca.cert, issued[name]));
  }
  secret(paths.kubeconfig, kubeconfig(apiUrl(addresses), 'admin', ca.cert, issued.admin));
  secret(join(paths.etc, 'containerd.toml'), containerdConfig(paths));
  secret(join(paths.etc, 'cni', '10-pods.conflist'), cniConfig(paths));
  secret(join(paths.etc, 'kubelet.yaml'), kubeletConfig(paths, addresses, cgroup));
  secret(join(paths.etc, 'kube-proxy.yaml'), kubeProxyConfig(paths));
};

/** Starts a process in the node's namespaces. */
const startIn = (setup: Setup, holderPid: number, { name, kind, command, args }: NodeProgram): Promise<Child> => {
  const [nsenter = '', ...rest] = enter(holderPid);
  const isContainerd = name === 'containerd';
  return launch(setup, {
    name,
    kind,
    command: nsenter,
    args: [...rest, command, ...args],
    env: NODE_ENVIRONMENT,
    signal: isContainerd ? 'SIGTERM' : 'SIGKILL',
    graceMs: isContainerd ? CONTAINERD_GRACE_MS : GRACE_MS,
  });
};

const waitForNode = async (api: Api, kubelet: Child): Promise<void> => {
  const until = performance.now() + NODE_MS;
  while (!(await api.get(`/api/v1/nodes/${NODE_NAME}`).then(isNodeReady, () => false))) {
    if (performance.now() > until)
      throw new SetupError(
        `the node is not Ready within ${NODE_MS / 1000} s; the end of ${kubelet.logFile}:`,
        logTail(kubelet.logFile),
      );
    await delay(POLL_MS);
  }
};

/** The environment of kubectl: its caches lie in the state directory, not in the user's home. */
export const kubectlEnvironment = (paths: ClusterPaths): Record<string, string> => ({
  ...NODE_ENVIRONMENT,
  KUBECONFIG: paths.kubeconfig,
  KUBECACHEDIR: join(paths.data, 'kubectl-cache'),
});

const installNameServer = async (kubectl: string, paths: ClusterPaths): Promise<void> => {
  const env = kubectlEnvironment(paths);
  await mustRun('install the name server of the cluster', [kubectl, 'apply', '-f', '-'], {
    env,
    input: clusterManifest(),
  });
  const wait = [
    kubectl,
    'rollout',
    'status',
    NAME_SERVER,
    `--namespace=${NAME_SERVER_NAMESPACE}`,
    `--timeout=${NODE_MS / 1000}s`,
  ];
  await mustRun('start the name server of the cluster', wait, { env });
};

/**
 * Starts all of a node: namespaces, etcd, containerd, the control plane, the kubelet, and a name server. Resolves when
 * pods run there.
 */
export const startNode = async (
  setup: Setup,
  binaries: NodeBinaries,
  images: readonly ImageArchive[],
): Promise<StartedNode> => {
  const paths = clusterPaths(setup.stateDir);
  makeFolders(paths);
  makeGroup(cgroupName(setup));
  setup.report('making namespaces and certificates');
  const { holder, addresses } = await makeNamespaces(setup, paths);
  const pki = await newClusterPki(addresses.node, new Date());
  writeFiles(paths, pki, addresses, cgroupName(setup));
  const programs = nodePrograms(binaries, paths, addresses);
  const start = (program: NodeProgram): Promise<Child> => startIn(setup, holder.who.pid, program);
  setup.report('starting etcd, containerd and the API server');
  const engines = [await start(programs.first[0]), await start(programs.first[1])] as const;
  const apiServer = await start(programs.apiServer);
  const place = { holderPid: holder.who.pid, ctr: binaries.ctr };
  await waitUntilReady(engines[1], () => containerdAnswers(place), CONTAINERD_MS);
  setup.report('importing images');
  await importMissing(place, images);
  const api = newApi(apiUrl(addresses), pki.ca.cert, pki.issued.admin);
  setup.report('waiting for the API server');
  await waitUntilReady(apiServer, () => api.get('/readyz').then(() => true), API_MS);
  setup.report('starting the kubelet and its neighbours');
  const rest: KeptService[] = [];
  for (const program of programs.rest) rest.push({ child: await start(program), start: () => start(program) });
  const kubelet = rest.map(({ child }) => child).find(({ name }) => name === 'kubelet') as Child;
  setup.report('waiting for the node to be Ready');
  await waitForNode(api, kubelet);
  setup.report('starting the name server');
  await installNameServer(binaries.kubectl, paths);
  const facts = {
    kubeconfig: paths.kubeconfig,
    nodeIp: addresses.node,
    apiUrl: apiUrl(addresses),
    kubectl: binaries.kubectl,
    ctr: binaries.ctr,
    holder: holder.who,
  };
  return {
    facts,
    kept: [{ child: apiServer, start: () => start(programs.apiServer) }, ...rest],
    vital: [holder, ...engines],
  };
};
