// SPDX-License-Identifier: Apache-2.0
// The rights of a holder of the executor's token, on a real API server: WRIT_CLUSTER_KUBECONFIG names an
// administrator's file.
import { leaseOf } from '@writ/sandbox-k8s';
import { differencesOf, mutationsOf, type Hints } from './mutations.contract.ts';
import { describeCluster, driverPodOf, madeOf, ReleaseOnCluster } from './release.contract.ts';

const release = new ReleaseOnCluster();
const POD = 'writ-exe-1-0123456789';

const driverLease = (name = 'writ-exe-1', owner = 'exe_1'): object =>
  leaseOf({
    name,
    namespace: release.sandboxes,
    labels: { writ: release.name, 'writ.role': 'sandbox', 'writ.owner': owner },
    holder: owner,
    now: new Date(),
  });

const LEASE_HINTS: Hints = {
  'metadata.creationTimestamp': ['2020-01-01T00:00:00Z'],
  'metadata.deletionTimestamp': ['2020-01-01T00:00:00Z'],
  'metadata.finalizers': [['example.com/keep']],
  'metadata.labels.example.com/more': ['a'],
  'metadata.name': ['writ-exe-2', 'other'],
  'metadata.ownerReferences': [[{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u2' }]],
  'spec.acquireTime': ['2020-01-01T00:00:00.000000Z'],
  'spec.renewTime': ['2020-01-01T00:00:00.000000Z'],
};

/** Fields in which a lease may differ: its name, the time of each renewal, and an unused count. */
const LEASE_HARMLESS = new Set(['metadata.generation', 'metadata.name', 'spec.renewTime']);

describeCluster("rights of the executor's token", () => {
  beforeAll(() => release.install());
  afterAll(() => release.remove());

  const at = (): string[] => ['--namespace', release.sandboxes];

  test('the API server finds no fault in the policies', async () => {
    for (const each of ['pods', 'leases', 'access', 'executor']) {
      // A controller checks them and reports its warnings in their status.
      const status = (): string =>
        release.must([
          ...['get', 'validatingadmissionpolicy', `${release.sandboxes}-${each}`],
          ...['-o', 'jsonpath={.status.observedGeneration} {.status.typeChecking}'],
        ]);
      await vi.waitFor(() => expect(status()).toBe('1 {}'), { timeout: 30_000, interval: 500 });
    }
  });

  test('it can create a sandbox in a namespace that enforces `restricted`', () => {
    const created = release.asExecutor(['create', '--dry-run=server', '-f', '-'], driverPodOf(release));
    expect(created).toMatchObject({ status: 0 });
  });

  test('nobody else can create a sandbox or a lease, not even an administrator', () => {
    for (const [object, words] of [
      [driverPodOf(release), /only the executor makes pods here/],
      [driverLease(), /only the executor makes leases here/],
    ] as const)
      expect(release.kubectl(['create', '--dry-run=server', '-f', '-'], object).out).toMatch(words);
  });

  test('nobody can create a Secret in the namespace of sandboxes', () => {
    const args = ['create', 'secret', 'generic', 's', ...at(), '--from-literal=a=b', '--dry-run=server'];
    expect(release.kubectl(args).out).toMatch(/no Secret lies beside it|exceeded quota/);
  });

  describe('an existing sandbox', () => {
    // Its image doesn't exist, so it never runs: admission decides before an image is pulled.
    beforeAll(() => {
      const lease = JSON.parse(
        release.must(['create', '--kubeconfig', release.executorConfig, '-o', 'json', '-f', '-'], driverLease()),
      ) as { metadata: { uid: string } };
      const owner = { name: 'writ-exe-1', uid: lease.metadata.uid };
      release.must(['create', '--kubeconfig', release.executorConfig, '-f', '-'], driverPodOf(release, { owner }));
    });

    test('can be entered only by the executor, by attach', () => {
      const words = /only the executor reaches a sandbox, by attach/;
      expect(release.kubectl(['exec', ...at(), POD, '--', 'true']).out).toMatch(words);
      expect(release.kubectl(['attach', ...at(), POD]).out).toMatch(words);
      expect(release.kubectl(['port-forward', ...at(), POD, '0:80']).out).not.toMatch(/Forwarding from/);
      const debug = ['--image', 'writ-sandbox:0.1.0', '--attach=false', '--profile=restricted'];
      expect(release.kubectl(['debug', ...at(), POD, ...debug]).out).toMatch(words);
      const attached = release.asExecutor(['attach', ...at(), POD]);
      expect(attached.out).not.toMatch(words);
      expect(attached.out).not.toMatch(/forbidden/i);
    });

    test.each([
      [
        "can't get another size",
        { spec: { containers: [{ name: 'sandbox', resources: { limits: { cpu: '2' } } }] } },
        /nobody changes one/,
        'resize',
      ],
      [
        "can't get another image",
        { spec: { containers: [{ name: 'sandbox', image: 'busybox:1' }] } },
        /an image of the list/,
      ],
      [
        "can't get the label of another",
        { metadata: { labels: { app: 'other' } } },
        /the driver sets no metadata\.labels\.app/,
      ],
      [
        'keeps its labels',
        { metadata: { labels: { writ: 'other' } } },
        /the driver sets another metadata\.labels\.writ/,
      ],
      ['keeps its owner', { metadata: { ownerReferences: null } }, /the driver makes pods of one owner/],
      [
        "can't get a finalizer",
        { metadata: { finalizers: ['example.com/keep'] } },
        /the driver sets no metadata\.finalizers/,
      ],
      [
        "can't get a toleration",
        [{ op: 'add', path: '/spec/tolerations/-', value: { operator: 'Exists' } }],
        /the driver sets no spec\.tolerations/,
      ],
    ] as const)('%s', (_what, patch, words, subresource?: string) => {
      const of = subresource === undefined ? [] : [`--subresource=${subresource}`];
      const type = Array.isArray(patch) ? 'json' : 'strategic';
      const args = ['patch', 'pod', POD, ...at(), ...of, '--dry-run=server', `--type=${type}`];
      expect(release.kubectl([...args, '--patch', JSON.stringify(patch)]).out).toMatch(words);
    });

    test("may get annotations of the cluster's network", () => {
      const annotate = ['annotate', 'pod', POD, ...at(), 'example.com/ip=10.0.0.1', '--dry-run=server'];
      expect(release.kubectl(annotate)).toMatchObject({ status: 0 });
    });

    test("can't be changed by the executor, nor can its namespace, whatever a role allows", async () => {
      const binding = ['create', 'rolebinding', 'too-much', ...at(), '--clusterrole=admin'];
      release.must([...binding, `--serviceaccount=${release.name}:${release.name}-executor`]);
      const words = (what: string): RegExp => new RegExp(`and does nothing else here: ${what}`);
      const executor = (...args: string[]): string => release.asExecutor([...args, ...at(), '--dry-run=server']).out;
      await vi.waitFor(() => expect(executor('create', 'configmap', 'c')).toMatch(words('CREATE configmaps')), {
        timeout: 60_000,
        interval: 500,
      });
      expect(executor('annotate', 'pod', POD, 'a=b')).toMatch(/it changes none|UPDATE pods/);
      expect(executor('create', 'serviceaccount', 's')).toMatch(words('CREATE serviceaccounts'));
      expect(executor('create', 'service', 'clusterip', 's', '--tcp=80')).toMatch(words('CREATE services'));
      expect(executor('create', 'rolebinding', 'r', '--clusterrole=view', '--user=u')).toMatch(
        words('CREATE rolebindings'),
      );
      expect(executor('delete', 'rolebinding', 'too-much')).toMatch(words('DELETE rolebindings'));
      expect(release.asExecutor(['create', 'token', 'default', ...at()]).out).toMatch(
        words('CREATE serviceaccounts/token'),
      );
      release.must(['delete', 'rolebinding', 'too-much', ...at()]);
    });

    test('keeps its owner, and its deleted lease goes once it is gone', async () => {
      const lease = ['lease', 'writ-exe-1', ...at()];
      release.must(['delete', ...lease, '--cascade=orphan', '--wait=false']);
      const owner = ['get', 'pod', POD, ...at(), '-o', 'jsonpath={.metadata.ownerReferences[0].name}'];
      expect(release.must(owner)).toBe('writ-exe-1');
      release.must(['delete', 'pod', POD, ...at(), '--grace-period=0', '--force']);
      await vi.waitFor(() => expect(release.kubectl(['get', ...lease]).out).toMatch(/not found/), {
        timeout: 90_000,
        interval: 1_000,
      });
    });
  });

  test("its leases have the driver's shape, and differ only in name and time", async () => {
    const [tryLease, tryOpen] = await Promise.all([release.tryer('leases'), release.openTryer('leases')]);
    const lease = driverLease('writ-exe-3', 'exe_3');
    const made = madeOf(await tryLease(lease));
    const mutations = mutationsOf(lease, {
      schema: 'io.k8s.api.coordination.v1.Lease',
      schemas: await release.schemas('leases'),
      hints: LEASE_HINTS,
      exclusive: {},
    });
    expect(mutations.length).toBeGreaterThan(30);
    const refused = new Set<string>();
    for (const { what, field, applyTo } of mutations) {
      const [tried, open] = await Promise.all([tryLease(applyTo(lease)), tryOpen(applyTo(lease))]);
      if ('made' in tried) {
        const harmful = differencesOf(made, madeOf(tried)).filter((each) => !LEASE_HARMLESS.has(each.field));
        expect({ what, harmful }).toEqual({ what, harmful: [] });
      } else if ('made' in open) {
        expect({ what, ...tried }).toEqual({ what, refusal: expect.stringContaining(`'${release.sandboxes}-leases'`) });
        refused.add(field);
      }
    }
    expect([...refused]).toEqual(
      expect.arrayContaining(['metadata.annotations', 'spec.leaseTransitions', 'spec.holderIdentity', 'metadata.name']),
    );
  });

  test.each([
    ['read Secrets of the release', ['get', 'secrets'], 'release'],
    ['read Secrets beside sandboxes', ['get', 'secrets'], 'sandboxes'],
    ['make pods beside the services', ['create', 'pods'], 'release'],
    ['execute in sandboxes', ['create', 'pods', '--subresource=exec'], 'sandboxes'],
    ['add containers to sandboxes', ['update', 'pods', '--subresource=ephemeralcontainers'], 'sandboxes'],
    ['resize sandboxes', ['patch', 'pods', '--subresource=resize'], 'sandboxes'],
    ['bind sandboxes to nodes', ['create', 'pods', '--subresource=binding'], 'sandboxes'],
    ['write the status of sandboxes', ['update', 'pods', '--subresource=status'], 'sandboxes'],
    ['change sandboxes', ['patch', 'pods'], 'sandboxes'],
    ['make tokens', ['create', 'serviceaccounts', '--subresource=token'], 'release'],
    ['give rights', ['create', 'rolebindings'], 'sandboxes'],
    ['see nodes', ['list', 'nodes'], 'sandboxes'],
    ['see namespaces', ['list', 'namespaces'], 'sandboxes'],
  ] as const)('it may not %s', (_what, asked, where) => {
    expect(mayExecutor(asked, where === 'release' ? release.name : release.sandboxes)).toBe('no');
  });

  test.each([
    [['create', 'pods']],
    [['delete', 'pods']],
    [['watch', 'pods']],
    [['create', 'pods', '--subresource=attach']],
    [['get', 'pods', '--subresource=attach']],
    [['update', 'leases.coordination.k8s.io']],
  ])('it may %s where sandboxes are', (asked) => {
    expect(mayExecutor(asked, release.sandboxes)).toBe('yes');
  });
});

/** `yes` or `no`. A subresource is an option, since kubectl reads it as a name after a slash. */
function mayExecutor(asked: readonly string[], namespace: string): string {
  const { out } = release.asExecutor(['auth', 'can-i', ...asked, '--namespace', namespace]);
  return /^(yes|no)\b/m.exec(out)?.[1] ?? out;
}
