// SPDX-License-Identifier: Apache-2.0
// Additions of a cluster to pods are admitted where the values of the release name them, and no others.
import { describeCluster, driverPodOf, ReleaseOnCluster, type Trying } from './release.contract.ts';

const release = new ReleaseOnCluster();

const TOLERATION = { key: 'sandboxes', operator: 'Equal', value: 'only', effect: 'NoSchedule' };
const NODES = { 'example.com/sandboxes': 'only' };
const OVERHEAD = { cpu: '100m', memory: '64Mi' };
const PRIORITY_CLASS = 'system-cluster-critical';
const LABEL = 'example.com/stamp';

type Pod = { readonly metadata: { readonly labels: object }; readonly spec: object };

describeCluster('a sandbox in a cluster that adds to pods', () => {
  let tryPod: Trying;
  const pod = (spec: object = {}, metadata: object = {}): object => {
    const made = driverPodOf(release, { runtimeClass: release.name }) as Pod;
    return {
      ...made,
      metadata: { ...made.metadata, ...metadata },
      spec: { ...made.spec, priorityClassName: PRIORITY_CLASS, ...spec },
    };
  };

  beforeAll(async () => {
    release.must(['create', '-f', '-'], {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: release.name },
      handler: 'runc',
      overhead: { podFixed: OVERHEAD },
      scheduling: { nodeSelector: NODES, tolerations: [TOLERATION] },
    });
    const added = {
      labels: [LABEL],
      annotations: ['example.com/seen'],
      nodeSelector: NODES,
      tolerations: [TOLERATION],
      priorityClassName: PRIORITY_CLASS,
    };
    await release.install({ sandbox: { runtimeClassName: release.name, admissionPolicy: { added } } });
    tryPod = await release.tryer();
    // The API server's own cache of runtime classes is updated a moment later.
    const isUnknown = { refusal: expect.stringMatching(/RuntimeClass .* not found/) as unknown };
    await vi.waitFor(async () => expect(await tryPod(pod())).not.toEqual(isUnknown), {
      timeout: 30_000,
      interval: 500,
    });
  });
  afterAll(() => {
    release.remove();
    release.must(['delete', 'runtimeclass', release.name]);
  });

  test('is admitted with overhead, nodes and tolerations of its runtime class, and with its priority', async () => {
    expect(await tryPod(pod())).toMatchObject({
      made: { spec: { overhead: OVERHEAD, nodeSelector: NODES, tolerations: expect.arrayContaining([TOLERATION]) } },
    });
  });

  test('is admitted with the named labels and annotations, with any value', async () => {
    const { labels } = (pod() as Pod).metadata;
    const metadata = { labels: { ...labels, [LABEL]: 'a' }, annotations: { 'example.com/seen': 'b' } };
    expect(await tryPod(pod({}, metadata))).toHaveProperty('made');
  });

  test.each<readonly [what: string, spec: object, words: string]>([
    ['another node', { nodeSelector: { 'kubernetes.io/hostname': 'a' } }, 'the driver sets no spec.nodeSelector'],
    ['another toleration', { tolerations: [{ operator: 'Exists' }] }, 'the driver sets no spec.tolerations'],
    [
      'the toleration for another effect',
      { tolerations: [{ ...TOLERATION, effect: 'NoExecute' }] },
      'the driver sets no spec.tolerations',
    ],
    ['another priority', { priorityClassName: 'system-node-critical' }, 'the driver sets no spec.priorityClassName'],
    ['no priority', { priorityClassName: undefined }, 'the driver sets no spec.priorityClassName'],
    ['no runtime class', { runtimeClassName: undefined }, 'a sandbox runs in the runtime class of the release'],
  ])('is refused with %s', async (_what, spec, words) => {
    expect(await tryPod(pod(spec))).toEqual({ refusal: expect.stringContaining(words) });
  });

  test('is refused with another overhead, by the plugin of runtime classes', async () => {
    expect(await tryPod(pod({ overhead: { cpu: '1' } }))).toEqual({ refusal: expect.stringContaining('Overhead') });
  });

  test.each([
    ['labels', { labels: { 'example.com/other': 'a' } }],
    ['annotations', { annotations: { 'example.com/other': 'a' } }],
  ])('is refused with other %s', async (what, metadata) => {
    const { labels } = (pod() as Pod).metadata;
    const changed = pod({}, 'labels' in metadata ? { labels: { ...labels, ...metadata.labels } } : metadata);
    expect(await tryPod(changed)).toEqual({ refusal: expect.stringContaining(`the driver sets no metadata.${what}`) });
  });
});
