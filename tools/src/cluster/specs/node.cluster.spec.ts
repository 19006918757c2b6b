// SPDX-License-Identifier: Apache-2.0
// A real node from start to end, with its own state directory. `npm test -- --only cluster` runs it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../process/identity.ts';
import { checkout, defaultStateDir, makeSetup } from '../../setup.ts';
import { askHolder } from '../../supervisor/lock.ts';
import { leftovers } from '../clean.ts';
import { downNode, loadImages, statusOf, upNode, type ClusterNode } from '../node.ts';
import { fileFrom, writeImage } from '../oci-image.ts';
import { clusterPaths } from '../paths.ts';
import { IDLE, Namespace, pod, server, withVolume } from './pods.ts';

const root = defaultStateDir(process.env);
const setup = makeSetup(join(root, 'test-cluster', 'cluster'), join(root, 'cache'), process.env, () => undefined);

/** The first start builds Kubernetes. */
const BUILD_MS = 60 * 60_000;
const END_MS = 3 * 60_000;
const SOON_MS = 20_000;

/** Settings that the kubelet and kube-proxy would change on the machine. */
const SETTINGS = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'net/ipv4/ip_forward',
  'net/bridge/bridge-nf-call-iptables',
  'net/netfilter/nf_conntrack_max',
].filter((name) => existsSync(`/proc/sys/${name}`));

const settings = (): Record<string, string> =>
  Object.fromEntries(SETTINGS.map((name) => [name, readFileSync(`/proc/sys/${name}`, 'utf8').trim()]));
const rules = (): string => spawnSync('nft', ['list', 'ruleset'], { encoding: 'utf8' }).stdout;

/** Where programs of a node keep files by default. */
const HOST_FOLDERS = ['/var/lib/kubelet', '/var/lib/cni', '/var/log/pods', '/var/log/containers', '/etc/cni/net.d'];

/** The kernel's id of a process's namespace, for example `net:[4026532201]`. */
const namespaceOf = (pid: number | string, kind: string): string => {
  try {
    return readlinkSync(`/proc/${pid}/ns/${kind}`);
  } catch {
    return '';
  }
};

/** Whether a process or a mount keeps a namespace alive. */
const isInUse = (name: string): boolean => {
  const kind = name.slice(0, name.indexOf(':'));
  const lived = readdirSync('/proc').some((pid) => namespaceOf(pid, kind) === name);
  return lived || readFileSync('/proc/self/mountinfo', 'utf8').includes(name);
};

const DENY_ALL = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'deny-all' },
  spec: { podSelector: { matchLabels: { app: 'server' } }, policyTypes: ['Ingress'] },
};
const ALLOW_FRIENDS = {
  ...DENY_ALL,
  metadata: { name: 'allow-friends' },
  spec: { ...DENY_ALL.spec, ingress: [{ from: [{ podSelector: { matchLabels: { friend: 'yes' } } }] }] },
};

let before: { settings: Record<string, string>; rules: string; folders: string[] };
let node: ClusterNode;
beforeAll(async () => {
  await downNode(setup);
  before = { settings: settings(), rules: rules(), folders: HOST_FOLDERS.filter((path) => existsSync(path)) };
  node = await upNode(setup);
}, BUILD_MS);
afterAll(() => downNode(setup), END_MS);

test('the node is Ready and runs the version that was asked for', async () => {
  const [found] = JSON.parse(await node.run(['get', 'nodes', '-o', 'json'])).items;
  expect(found.status.nodeInfo).toMatchObject({
    kubeletVersion: 'v1.35.4',
    containerRuntimeVersion: expect.stringMatching(/^containerd:/),
  });
});

test('a second start attaches to the node that runs', async () => {
  expect((await upNode(setup)).holder).toEqual(node.holder);
});

test('the machine keeps its settings and its firewall while the node runs', () => {
  expect(settings()).toEqual(before.settings);
  expect(rules()).toBe(before.rules);
});

test("pods run, and reach each other by a service's name", async () => {
  const space = await Namespace.make(node, 'names', 'restricted');
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'greeting' },
    spec: { selector: { app: 'server' }, ports: [{ port: 80, targetPort: 8080 }] },
  };
  await space.apply(pod('server', node.nodeImage, server('hello')), pod('client', node.nodeImage, IDLE), service);
  await space.ready('server', 'client');
  expect(await space.askUntil('client', 'http://greeting.names.svc.cluster.local', 'hello')).toBe('hello');
});

test('a claim for storage gets a volume that its pod may write to, and is gone with the claim', async () => {
  const space = await Namespace.make(node, 'storage', 'restricted');
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Mi' } } },
  };
  const write = "require('node:fs').writeFileSync('/data/file', 'kept')";
  const read = "process.stdout.write(require('node:fs').readFileSync('/data/file', 'utf8'))";
  await space.apply(claim, withVolume(pod('writer', node.nodeImage, write), 'data'));
  await space.kubectl('wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/writer', '--timeout=60s');
  await space.apply(withVolume(pod('reader', node.nodeImage, read), 'data'));
  await space.kubectl('wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/reader', '--timeout=60s');
  expect(await space.kubectl('logs', 'reader')).toBe('kept');
  await space.kubectl('delete', 'pod/writer', 'pod/reader', 'pvc/data', '--wait=true', '--timeout=60s');
  const { volumes } = clusterPaths(setup.stateDir);
  await vi.waitFor(() => expect(readdirSync(volumes)).toEqual([]), SOON_MS);
  await vi.waitFor(async () => expect(await node.run(['get', 'pv', '-o', 'name'])).toBe(''), SOON_MS);
});

test('a pod reaches nothing outside of the node', async () => {
  const space = await Namespace.make(node, 'outside', 'restricted');
  await space.apply(pod('client', node.nodeImage, IDLE));
  await space.ready('client');
  expect(await space.ask('client', 'http://192.0.2.1')).toMatch(
    /^(ENETUNREACH|EHOSTUNREACH|TimeoutError|ECONNREFUSED)$/,
  );
});

test('a network policy admits exactly the pods that it names', async () => {
  const space = await Namespace.make(node, 'policies', 'restricted');
  await space.apply(
    pod('server', node.nodeImage, server('hello')),
    pod('friend', node.nodeImage, IDLE, { friend: 'yes' }),
    pod('stranger', node.nodeImage, IDLE),
  );
  await space.ready('server', 'friend', 'stranger');
  const url = `http://${await space.kubectl('get', 'pod', 'server', '-o', 'jsonpath={.status.podIP}')}:8080`;
  expect(await space.askUntil('stranger', url, 'hello')).toBe('hello');
  await space.apply(DENY_ALL);
  expect(await space.askUntil('stranger', url, 'ECONNREFUSED')).toBe('ECONNREFUSED');
  expect(await space.askUntil('friend', url, 'ECONNREFUSED')).toBe('ECONNREFUSED');
  await space.apply(ALLOW_FRIENDS);
  expect(await space.askUntil('friend', url, 'hello')).toBe('hello');
  expect(await space.ask('stranger', url)).toBe('ECONNREFUSED');
});

test('PodSecurity `restricted` refuses a pod that asks for more', async () => {
  const space = await Namespace.make(node, 'strict', 'restricted');
  const privileged = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'bad' },
    spec: { containers: [{ name: 'main', image: node.nodeImage, securityContext: { privileged: true } }] },
  };
  await expect(space.apply(privileged)).rejects.toMatchObject({
    details: expect.arrayContaining([expect.stringContaining('violates PodSecurity "restricted')]),
  });
  expect(await space.kubectl('get', 'pods', '-o', 'name')).toBe('');
});

test('a pod runs an image that was loaded from a file', async () => {
  const space = await Namespace.make(node, 'images', 'restricted');
  const archive = join(setup.stateDir, 'loaded.tar');
  const program = join(node.kubectl, '..', 'pause');
  await writeImage(archive, 'writ.local/loaded:1', [fileFrom(program, '/loaded')], {
    entrypoint: ['/loaded'],
    user: '65532:65532',
  });
  expect(await loadImages(node, [archive])).toEqual(['writ.local/loaded:1']);
  rmSync(archive);
  await space.apply(pod('loaded', 'writ.local/loaded:1', ''));
  await space.ready('loaded');
});

test(
  'a supervisor that is killed leaves a node that the next start replaces',
  async () => {
    const holder = await askHolder(setup.stateId);
    process.kill(holder?.pid as number, 'SIGKILL');
    await vi.waitFor(async () => expect(await askHolder(setup.stateId)).toBeUndefined());
    expect((await statusOf(setup)).left).not.toEqual([]);
    const next = await upNode(setup);
    expect(isAlive(node.holder)).toBe(false);
    expect(next.holder).not.toEqual(node.holder);
    // Nothing of the earlier cluster is in this one.
    expect(await next.run(['get', 'namespaces', '-o', 'name'])).not.toContain('images');
    node = next;
  },
  END_MS,
);

test(
  'the end of a node removes everything from the machine',
  async () => {
    const namespaces = ['net', 'mnt'].map((kind) => namespaceOf(node.holder.pid, kind));
    await downNode(setup);
    expect(leftovers(setup)).toEqual([]);
    // The kernel reuses a freed namespace id: another process may briefly have it.
    await vi.waitFor(() => expect(namespaces.filter(isInUse)).toEqual([]), SOON_MS);
    expect(HOST_FOLDERS.filter((path) => existsSync(path))).toEqual(before.folders);
    expect(isAlive(node.holder)).toBe(false);
    expect(settings()).toEqual(before.settings);
    expect(rules()).toBe(before.rules);
    expect((await statusOf(setup)).node).toBeUndefined();
  },
  END_MS,
);

test(
  'an interrupted start leaves nothing on the machine',
  async () => {
    // Programs that are already built are reused.
    const cache = join(root, 'test-cluster', 'cache');
    if (!existsSync(cache)) symlinkSync(setup.cacheDir, cache);
    const main = join(checkout, 'tools/src/release/main.ts');
    const env = { ...process.env, WRIT_STATE_DIR: join(root, 'test-cluster') };
    const args = ['--conditions=@writ/source', main, '--node'];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    await vi.waitFor(() => expect(leftovers(setup)).not.toEqual([]), END_MS);
    child.kill('SIGTERM');
    await once(child, 'exit');
    await vi.waitFor(() => expect(leftovers(setup)).toEqual([]), END_MS);
    await vi.waitFor(async () => expect(await askHolder(setup.stateId)).toBeUndefined(), END_MS);
  },
  END_MS,
);
