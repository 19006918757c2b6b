// SPDX-License-Identifier: Apache-2.0
import {
  cniConfig,
  containerdConfig,
  kubeconfig,
  kubeletConfig,
  kubeProxyConfig,
  PAUSE_IMAGE,
} from './configuration.ts';
import { clusterManifest } from './manifest.ts';
import { holderScript } from './namespaces.ts';
import { clusterPaths } from './paths.ts';
import { nodePrograms, type NodeBinaries } from './programs.ts';

const PATHS = clusterPaths("/srv/it's/cluster");
const ADDRESSES = { host: '10.213.0.1', node: '10.213.0.2' };

test('a kubeconfig contains everything that it refers to', () => {
  const config = JSON.parse(kubeconfig('https://10.213.0.2:6443', 'admin', 'CA', { cert: 'CERT', key: 'KEY' }));
  expect(config.clusters[0].cluster).toEqual({
    server: 'https://10.213.0.2:6443',
    'certificate-authority-data': Buffer.from('CA').toString('base64'),
  });
  expect(config.users[0].user['client-key-data']).toBe(Buffer.from('KEY').toString('base64'));
});

test('containerd leaves the machine unchanged, and pulls no pause image', () => {
  const text = containerdConfig(PATHS);
  for (const line of [
    'disable_apparmor = true',
    'restrict_oom_score_adj = true',
    `sandbox_image = "${PAUSE_IMAGE}"`,
    'root = "/srv/it\'s/cluster/images"',
  ])
    expect(text).toContain(line);
});

test("the kubelet runs pods below the cluster's own control group, on either version", () => {
  expect(JSON.parse(kubeletConfig(PATHS, ADDRESSES, 'writ-1'))).toMatchObject({
    cgroupRoot: '/writ-1',
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    address: '10.213.0.2',
    authentication: { anonymous: { enabled: false } },
  });
});

test("kube-proxy doesn't change the machine's limit of connections", () => {
  expect(JSON.parse(kubeProxyConfig(PATHS))).toMatchObject({ mode: 'nftables', conntrack: { maxPerCore: 0, min: 0 } });
});

test('addresses of pods are stored where the end of the cluster removes them', () => {
  expect(JSON.parse(cniConfig(PATHS)).plugins[0].ipam.dataDir).toBe("/srv/it's/cluster/data/cni");
});

test('the name server meets the strictest standard for pods', () => {
  const pod = JSON.parse(clusterManifest()).items.find(({ kind }: { kind: string }) => kind === 'Deployment').spec
    .template.spec;
  expect(pod.containers[0].securityContext).toMatchObject({
    runAsNonRoot: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  });
});

test("the script for the node's mounts quotes paths, and becomes the process that holds them", () => {
  const lines = holderScript(PATHS).split('\n');
  expect(lines[0]).toBe('set -eu');
  expect(lines.at(-1)).toBe('exec sleep infinity');
  expect(lines).toContain(`mount --bind '/srv/it'\\''s/cluster/data/log' /var/log`);
  // The machine's own containers would see an earlier mount.
  expect(lines.indexOf('mount --make-rshared /')).toBeLessThan(lines.findIndex((line) => line.includes('--bind')));
});

test('the firewall only filters, and the API server reaches the kubelet by its address', () => {
  const binaries = new Proxy({} as NodeBinaries, { get: (_, name) => `/bin/${String(name)}` });
  const { apiServer, firewall, kubelet } = nodePrograms(binaries, PATHS, ADDRESSES);
  const filtersOnly = ['--run-firewall=true', '--run-router=false', '--run-service-proxy=false'];
  expect(firewall.args).toEqual(expect.arrayContaining(filtersOnly));
  const flags = ['--kubelet-preferred-address-types=InternalIP', '--authorization-mode=Node,RBAC'];
  expect(apiServer.args).toEqual(expect.arrayContaining([...flags, '--advertise-address=10.213.0.2']));
  expect(kubelet).toMatchObject({ command: '/bin/kubelet', args: expect.arrayContaining(['--node-ip=10.213.0.2']) });
});

test('processes with the state of others end after them', () => {
  const { etcd, containerd, apiServer, controllers } = nodePrograms({} as NodeBinaries, PATHS, ADDRESSES);
  expect([etcd, containerd].map(({ kind }) => kind)).toEqual(['engine', 'engine']);
  expect(apiServer.kind).toBe('part');
  expect(controllers.every(({ kind }) => kind === 'service')).toBe(true);
});
