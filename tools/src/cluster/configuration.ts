// SPDX-License-Identifier: Apache-2.0
//
// Configuration files of the node's processes. Kubernetes' YAML files are written as JSON, which is YAML.
import { API_PORT, NETWORKS, type Addresses } from './address.ts';
import { IN_NODE, type ClusterPaths } from './paths.ts';
import { NODE_NAME, type Credentials } from './pki.ts';

export const PAUSE_IMAGE = 'writ.local/pause:1';

/** A second runtime handler, for a RuntimeClass to name: here it is the same runtime. */
export const SECOND_HANDLER = 'strict';

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The API server's address for programs of the machine and of the node. */
export const apiUrl = ({ node }: Addresses): string => `https://${node}:${API_PORT}`;

/** A self-contained kubeconfig, which can be copied. */
export const kubeconfig = (server: string, user: string, ca: string, { cert, key }: Credentials): string =>
  json({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'writ', cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: user, user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) } }],
    contexts: [{ name: 'writ', context: { cluster: 'writ', user } }],
    'current-context': 'writ',
  });

const CRI = 'plugins."io.containerd.grpc.v1.cri"';

/**
 * The configuration of containerd 1.6 and 1.7. `restrict_oom_score_adj` lets root without CAP_SYS_RESOURCE start pods.
 * `disable_apparmor` prevents a profile in the kernel, which would outlive the node.
 */
export const containerdConfig = ({ images, etc }: Pick<ClusterPaths, 'images' | 'etc'>): string => `version = 2
root = ${JSON.stringify(images)}
state = "/run/containerd"
[grpc]
  address = "${IN_NODE.containerdSocket}"
[plugins."io.containerd.internal.v1.opt"]
  path = ${JSON.stringify(`${images}/opt`)}
[${CRI}]
  sandbox_image = "${PAUSE_IMAGE}"
  restrict_oom_score_adj = true
  disable_apparmor = true
[${CRI}.cni]
  bin_dir = "${IN_NODE.cniBin}"
  conf_dir = ${JSON.stringify(`${etc}/cni`)}
[${CRI}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[${CRI}.containerd.runtimes.${SECOND_HANDLER}]
  runtime_type = "io.containerd.runc.v2"
`;

/** The pod network: a bridge in the node's network namespace. */
export const cniConfig = ({ data }: Pick<ClusterPaths, 'data'>): string =>
  json({
    cniVersion: '1.0.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        ipMasq: true,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet: NETWORKS.nodePods }]],
          routes: [{ dst: '0.0.0.0/0' }],
          dataDir: `${data}/cni`,
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
      // kube-router filters only IPv4, and an IPv6 interface would reach everything on its link.
      { type: 'tuning', sysctl: { 'net.ipv6.conf.all.disable_ipv6': '1', 'net.ipv6.conf.default.disable_ipv6': '1' } },
    ],
  });

/** Free resources below which the kubelet evicts pods: small values, for a small machine. */
const EVICTION = { 'memory.available': '200Mi', 'nodefs.available': '1Gi', 'imagefs.available': '1Gi' };

/**
 * The kubelet's configuration. The resolver is empty, since the node reaches no external address. Image collection is
 * off, since no image can be pulled again.
 */
export const kubeletConfig = (
  { pki, etc }: Pick<ClusterPaths, 'pki' | 'etc'>,
  { node }: Addresses,
  cgroup: string,
): string =>
  json({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    failCgroupV1: false,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${cgroup}`,
    containerRuntimeEndpoint: `unix://${IN_NODE.containerdSocket}`,
    address: node,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: `${pki}/ca.crt` },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: `${pki}/kubelet-server.crt`,
    tlsPrivateKeyFile: `${pki}/kubelet-server.key`,
    clusterDomain: 'cluster.local',
    clusterDNS: [NETWORKS.dnsService],
    resolvConf: `${etc}/resolv.conf`,
    failSwapOn: false,
    imageGCHighThresholdPercent: 100,
    evictionHard: EVICTION,
    volumePluginDir: `${IN_NODE.kubelet}/volume-plugins`,
    syncFrequency: '10s',
  });

/**
 * kube-proxy's configuration: nftables rules in the node's network namespace, and no conntrack limit, which exists only
 * in the machine's own namespace.
 */
export const kubeProxyConfig = ({ etc }: Pick<ClusterPaths, 'etc'>): string =>
  json({
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    clusterCIDR: NETWORKS.pods,
    hostnameOverride: NODE_NAME,
    clientConnection: { kubeconfig: `${etc}/kube-proxy.kubeconfig` },
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    metricsBindAddress: '127.0.0.1:10249',
  });
