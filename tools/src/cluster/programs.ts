// SPDX-License-Identifier: Apache-2.0
import type { Kind } from '../process/table.ts';
import { API_PORT, NETWORKS, type Addresses } from './address.ts';
import { IN_NODE, type ClusterPaths } from './paths.ts';
import { NODE_NAME } from './pki.ts';

/** Absolute paths of all programs of a node. */
export interface NodeBinaries {
  readonly etcd: string;
  readonly containerd: string;
  readonly ctr: string;
  readonly apiServer: string;
  readonly controllerManager: string;
  readonly scheduler: string;
  readonly kubelet: string;
  readonly kubeProxy: string;
  readonly kubeRouter: string;
  readonly kubectl: string;
}

/** A process of the node: a `service` may be restarted alone, the others need `part` and `engine`. */
export interface NodeProgram {
  readonly name: string;
  readonly kind: Kind;
  readonly command: string;
  readonly args: readonly string[];
}

/** The address of kube-router's `/healthz`. */
export const FIREWALL_HEALTH_PORT = 20_244;

const ETCD_CLIENT = 'http://127.0.0.1:2379';
const ETCD_PEER = 'http://127.0.0.1:2380';

const flagsOf = (flags: Readonly<Record<string, string>>): string[] =>
  Object.entries(flags).map(([name, value]) => `--${name}=${value}`);

/** The cluster's state store. It may lose data at a power cut: the next start begins with an empty cluster. */
const etcd = (command: string, { data }: ClusterPaths): NodeProgram => ({
  name: 'etcd',
  kind: 'engine',
  command,
  args: flagsOf({
    'data-dir': `${data}/etcd`,
    'listen-client-urls': ETCD_CLIENT,
    'advertise-client-urls': ETCD_CLIENT,
    'listen-peer-urls': ETCD_PEER,
    'initial-advertise-peer-urls': ETCD_PEER,
    'initial-cluster': `default=${ETCD_PEER}`,
    'unsafe-no-fsync': 'true',
  }),
});

const containerd = (command: string, { etc }: ClusterPaths): NodeProgram => ({
  name: 'containerd',
  kind: 'engine',
  command,
  args: ['--config', `${etc}/containerd.toml`],
});

const apiServer = (command: string, { pki }: ClusterPaths, { node }: Addresses): NodeProgram => ({
  name: 'kube-apiserver',
  kind: 'part',
  command,
  args: flagsOf({
    'etcd-servers': ETCD_CLIENT,
    'secure-port': String(API_PORT),
    'bind-address': '0.0.0.0',
    'advertise-address': node,
    'tls-cert-file': `${pki}/apiserver.crt`,
    'tls-private-key-file': `${pki}/apiserver.key`,
    'client-ca-file': `${pki}/ca.crt`,
    // A name would need a resolver, which is missing, and every exec and log would wait for it.
    'kubelet-preferred-address-types': 'InternalIP',
    'kubelet-client-certificate': `${pki}/apiserver-kubelet.crt`,
    'kubelet-client-key': `${pki}/apiserver-kubelet.key`,
    'kubelet-certificate-authority': `${pki}/ca.crt`,
    'service-account-key-file': `${pki}/sa.pub`,
    'service-account-signing-key-file': `${pki}/sa.key`,
    'service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
    'requestheader-client-ca-file': `${pki}/front-ca.crt`,
    'requestheader-allowed-names': 'front-proxy',
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-username-headers': 'X-Remote-User',
    'proxy-client-cert-file': `${pki}/front-proxy.crt`,
    'proxy-client-key-file': `${pki}/front-proxy.key`,
    'enable-aggregator-routing': 'true',
    'authorization-mode': 'Node,RBAC',
    'enable-admission-plugins': 'NodeRestriction',
    'service-cluster-ip-range': NETWORKS.services,
    'allow-privileged': 'true',
  }),
});

const controllerManager = (command: string, { pki, etc }: ClusterPaths): NodeProgram => ({
  name: 'kube-controller-manager',
  kind: 'service',
  command,
  args: flagsOf({
    kubeconfig: `${etc}/kube-controller-manager.kubeconfig`,
    'service-account-private-key-file': `${pki}/sa.key`,
    'root-ca-file': `${pki}/ca.crt`,
    'cluster-signing-cert-file': `${pki}/ca.crt`,
    'cluster-signing-key-file': `${pki}/ca.key`,
    'use-service-account-credentials': 'true',
    'allocate-node-cidrs': 'true',
    'cluster-cidr': NETWORKS.pods,
    'service-cluster-ip-range': NETWORKS.services,
    'leader-elect': 'false',
    'bind-address': '127.0.0.1',
    'horizontal-pod-autoscaler-sync-period': '5s',
  }),
});

const scheduler = (command: string, { etc }: ClusterPaths): NodeProgram => ({
  name: 'kube-scheduler',
  kind: 'service',
  command,
  args: flagsOf({
    kubeconfig: `${etc}/kube-scheduler.kubeconfig`,
    'leader-elect': 'false',
    'bind-address': '127.0.0.1',
  }),
});

const kubelet = (command: string, { etc }: ClusterPaths, { node }: Addresses): NodeProgram => ({
  name: 'kubelet',
  kind: 'service',
  command,
  args: flagsOf({
    config: `${etc}/kubelet.yaml`,
    kubeconfig: `${etc}/kubelet.kubeconfig`,
    'hostname-override': NODE_NAME,
    'node-ip': node,
    'root-dir': IN_NODE.kubelet,
  }),
});

const kubeProxy = (command: string, { etc }: ClusterPaths): NodeProgram => ({
  name: 'kube-proxy',
  kind: 'service',
  command,
  args: [`--config=${etc}/kube-proxy.yaml`],
});

/** Only a firewall: the bridge routes, and kube-proxy handles services. */
const kubeRouter = (command: string, { etc }: ClusterPaths): NodeProgram => ({
  name: 'kube-router',
  kind: 'service',
  command,
  args: flagsOf({
    kubeconfig: `${etc}/admin.kubeconfig`,
    'run-firewall': 'true',
    'run-router': 'false',
    'run-service-proxy': 'false',
    'enable-cni': 'false',
    'hostname-override': NODE_NAME,
    'service-cluster-ip-range': NETWORKS.services,
    'health-port': String(FIREWALL_HEALTH_PORT),
  }),
});

/** The processes of a node, by start phase. */
export const nodePrograms = (binaries: NodeBinaries, paths: ClusterPaths, addresses: Addresses) =>
  ({
    etcd: etcd(binaries.etcd, paths),
    containerd: containerd(binaries.containerd, paths),
    apiServer: apiServer(binaries.apiServer, paths, addresses),
    controllers: [
      controllerManager(binaries.controllerManager, paths),
      scheduler(binaries.scheduler, paths),
      kubeProxy(binaries.kubeProxy, paths),
    ],
    kubelet: kubelet(binaries.kubelet, paths, addresses),
    firewall: kubeRouter(binaries.kubeRouter, paths),
  }) as const;
