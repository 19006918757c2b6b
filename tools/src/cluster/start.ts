// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntilReady } from '../parts/ready.ts';
import type { Identity } from '../process/identity.ts';
import { launch, type Child } from '../process/launch.ts';
import type { Setup } from '../setup.ts';
import type { RunningService } from '../supervisor/keep-running.ts';
import type { Addresses } from './address.ts';
import { isNodeReady, newApi, type Api } from './api.ts';
import { makeGroup } from './cgroups.ts';
import { apiUrl, cniConfig, containerdConfig, kubeconfig, kubeletConfig, kubeProxyConfig } from './configuration.ts';
import { containerdAnswers, importMissing } from './containerd.ts';
import type { ImageArchive } from './images.ts';
import { clusterManifest, NAME_SERVER, NAME_SERVER_NAMESPACE } from './manifest.ts';
import { enter, makeNamespaces, NODE_ENVIRONMENT, type Namespaces } from './namespaces.ts';
import { cgroupName, clusterPaths, makeFolders, type ClusterPaths } from './paths.ts';
import { newClusterPki, NODE_NAME, type ClusterPki } from './pki.ts';
import { FIREWALL_HEALTH_PORT, nodePrograms, type NodeBinaries, type NodeProgram } from './programs.ts';
import { mustRun } from './run-command.ts';

/** The public facts about a running node. */
export interface NodeFacts {
  /** Absolute path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** The machine's address for the API server (port 6443) and NodePorts. */
  readonly nodeIp: string;
  readonly apiUrl: string;
  readonly kubectl: string;
  readonly ctr: string;
  /** The process that holds the node's namespaces. */
  readonly holder: Identity;
}

/** A running node, with the processes that its supervisor watches. */
export interface StartedNode {
  readonly facts: NodeFacts;
  readonly api: Api;
  /** May end, and are restarted. */
  readonly kept: readonly RunningService[];
  /** The node ends with any of them. */
  readonly vital: readonly Child[];
}

const CONTAINERD_MS = 30_000;
/** With a cold page cache, beside other work. */
const API_MS = 120_000;
const NODE_MS = 180_000;

/** Their data is removed at the end, so they are killed; containerd keeps images. */
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
const startIn = (setup: Setup, { holder }: Namespaces, { name, kind, command, args }: NodeProgram): Promise<Child> => {
  const [nsenter = '', ...rest] = enter(holder.who.pid);
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

/** The environment of kubectl, with its caches in the state directory instead of the user's home. */
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

/** A start in progress, shared by the steps below. */
interface Start {
  readonly setup: Setup;
  readonly binaries: NodeBinaries;
  readonly programs: ReturnType<typeof nodePrograms>;
  readonly namespaces: Namespaces;
  readonly api: Api;
}

/** A process that may end by itself, and its restart. */
const startService = async ({ setup, namespaces }: Start, program: NodeProgram): Promise<RunningService> => {
  const start = (): Promise<Child> => startIn(setup, namespaces, program);
  return { child: await start(), start };
};

const startEngines = async ({ setup, programs, namespaces }: Start): Promise<[etcd: Child, containerd: Child]> => {
  setup.report('starting etcd and containerd');
  return [await startIn(setup, namespaces, programs.etcd), await startIn(setup, namespaces, programs.containerd)];
};

const loadNodeImages = async (
  { setup, binaries, namespaces }: Start,
  containerd: Child,
  images: readonly ImageArchive[],
): Promise<void> => {
  const place = { holderPid: namespaces.holder.who.pid, ctr: binaries.ctr };
  await waitUntilReady(containerd, () => containerdAnswers(place), CONTAINERD_MS);
  setup.report('importing images');
  await importMissing(place, images);
};

const startApiServer = async (going: Start): Promise<RunningService> => {
  going.setup.report('starting the API server');
  const server = await startService(going, going.programs.apiServer);
  await waitUntilReady(server.child, () => going.api.get('/readyz').then(() => true), API_MS);
  return server;
};

const startRest = async (going: Start): Promise<RunningService[]> => {
  const { setup, programs, namespaces, api } = going;
  setup.report('starting the kubelet and the controllers');
  const kubelet = await startService(going, programs.kubelet);
  const controllers: RunningService[] = [];
  for (const program of programs.controllers) controllers.push(await startService(going, program));
  await waitUntilReady(kubelet.child, () => api.get(`/api/v1/nodes/${NODE_NAME}`).then(isNodeReady), NODE_MS);
  // It looks up its node in the API once, at its start.
  setup.report('starting the firewall of network policies');
  const firewall = await startService(going, programs.firewall);
  const health = `http://${namespaces.addresses.node}:${FIREWALL_HEALTH_PORT}/healthz`;
  await waitUntilReady(firewall.child, () => fetch(health).then(({ ok }) => ok), NODE_MS);
  return [kubelet, ...controllers, firewall];
};

/**
 * Starts everything of a node: namespaces, etcd, containerd, the control plane, the kubelet, the firewall and a name
 * server. Resolves when pods run and network policies apply.
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
  const namespaces = await makeNamespaces(setup, paths);
  const { holder, addresses } = namespaces;
  const pki = await newClusterPki(addresses.node, new Date());
  writeFiles(paths, pki, addresses, cgroupName(setup));
  const url = apiUrl(addresses);
  const api = newApi(url, pki.ca.cert, pki.issued.admin);
  const going = { setup, binaries, namespaces, api, programs: nodePrograms(binaries, paths, addresses) };
  const engines = await startEngines(going);
  const [apiServer] = await Promise.all([startApiServer(going), loadNodeImages(going, engines[1], images)]);
  const kept = [apiServer, ...(await startRest(going))];
  setup.report('starting the name server');
  await installNameServer(binaries.kubectl, paths);
  const { kubectl, ctr } = binaries;
  const facts = { kubeconfig: paths.kubeconfig, nodeIp: addresses.node, apiUrl: url, kubectl, ctr, holder: holder.who };
  return { facts, api, kept, vital: [holder, ...engines] };
};
