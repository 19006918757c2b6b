// SPDX-License-Identifier: Apache-2.0
// The driver with claims, and the controller of agent-sandbox, in the chart's namespace of sandboxes. It needs a
// cluster with agent-sandbox, and what `driver.cluster.spec.ts` needs.
import type { SandboxEvent } from '@writ/sandbox-host';
import { SANDBOX_GROUP, SANDBOX_VERSION, specOf, type KubernetesSandbox } from '@writ/sandbox-k8s';
import { CLUSTER, DIGEST, hasClaims, REFERENCE } from '@writ/sandbox-k8s/contract';
import { jobOf, openDriver, printed, SIZE } from './driver.contract.ts';
import { describeCluster, ReleaseOnCluster, type Printed } from './release.contract.ts';

const CONTROLLER = { namespace: 'agent-sandbox-system', serviceAccountName: 'agent-sandbox-controller' };
const MAKER = `system:serviceaccount:${CONTROLLER.namespace}:${CONTROLLER.serviceAccountName}`;

const isThere = CLUSTER !== undefined && (await hasClaims());
const release = new ReleaseOnCluster();

/** The image reference in the form of the chart's values. */
const [, repository, tag] = /^(.+):([^:/]+)$/.exec(REFERENCE) ?? [];

describe.skipIf(!isThere)(
  isThere ? 'claims' : 'claims (skipped: no cluster with kubernetes-sigs/agent-sandbox is named)',
  () => {
    describeCluster('in the namespace that the chart makes', () => {
      let sandbox: KubernetesSandbox;
      const events: SandboxEvent[] = [];

      beforeAll(async () => {
        if (repository === undefined || tag === undefined || DIGEST === '')
          throw new Error(
            'name the sandbox image: set WRIT_CLUSTER_SANDBOX_IMAGE with a tag, and WRIT_CLUSTER_SANDBOX_DIGEST',
          );
        const pools = [{ memoryBytes: SIZE.memoryBytes, replicas: 1 }];
        await release.install(
          {
            sandbox: {
              image: { repository, tag, id: DIGEST },
              agentSandbox: { enabled: true, controller: CONTROLLER, pools },
            },
          },
          'sandboxclaims.extensions.agents.x-k8s.io',
        );
        sandbox = await openDriver(release, { warmPools: release.name, report: (event) => events.push(event) });
      });
      afterAll(async () => {
        await (sandbox as KubernetesSandbox | undefined)?.close();
        release.remove();
      });

      test('a job runs in a pod of the pool, and no request of executor or controller is refused', async () => {
        for (const word of ['a', 'b']) {
          const result = await sandbox.run(jobOf(word), new AbortController().signal);
          expect([result.detail, printed(result)]).toEqual([null, `${word}\n`]);
        }
        expect(events.filter(({ type }) => type === 'engine.refused')).toEqual([]);
      });

      const pod = (spec: object = {}, metadata: object = {}): object => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name: 'pool-1',
          namespace: release.sandboxes,
          labels: { writ: release.name, 'writ.role': 'sandbox', [`${SANDBOX_GROUP}/sandbox-name-hash`]: 'a' },
          annotations: { [`${SANDBOX_GROUP}/propagated-labels`]: 'writ,writ.role' },
          ownerReferences: [
            {
              apiVersion: `${SANDBOX_GROUP}/${SANDBOX_VERSION}`,
              kind: 'Sandbox',
              name: 'pool-1',
              uid: 'u',
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
          ...metadata,
        },
        spec: { ...specOf({ image: REFERENCE, size: SIZE, refusedAt: [] }), ...spec },
      });
      const created = (object: object, by = ['--as', MAKER]): Printed =>
        release.kubectl([...by, 'create', '--dry-run=server', '-f', '-'], object);
      const container = (over: object): object => ({
        containers: [{ ...specOf({ image: REFERENCE, size: SIZE, refusedAt: [] }).containers[0], ...over }],
      });

      test('only the controller can create a pod of the shape', () => {
        expect(created(pod())).toMatchObject({ status: 0 });
        const words = /only the controller of agent-sandbox makes pods here/;
        expect(created(pod(), []).out).toMatch(words);
        expect(release.asExecutor(['create', '--dry-run=server', '-f', '-'], pod()).out).toMatch(/forbidden/);
      });

      test.each([
        ['another image', () => pod(container({ image: 'busybox:1' })), /runs an image of the list/],
        [
          'canaries of its own',
          () => pod(container({ args: ['--wait-for-greeting', '--tell-usage', '--refused-at=10.0.0.1:80'] })),
          /args in a template/,
        ],
        ['no wait for a greeting', () => pod(container({ args: ['--tell-usage'] })), /args in a template/],
        ['a token', () => pod({ automountServiceAccountToken: true }), /spec\.automountServiceAccountToken/],
        ["the cluster's resolver", () => pod({ dnsPolicy: 'ClusterFirst' }), /spec\.dnsPolicy/],
        [
          'another label',
          () => pod({}, { labels: { writ: release.name, 'writ.role': 'sandbox', other: 'a' } }),
          /metadata\.labels/,
        ],
        [
          'another owner',
          () => pod({}, { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'pool-1', uid: 'u' }] }),
          /ownerReferences/,
        ],
        [
          'an annotation that could choose a network',
          () => pod({}, { annotations: { 'k8s.v1.cni.cncf.io/networks': 'other' } }),
          /metadata\.annotations/,
        ],
        ['another name than its Sandbox', () => pod({}, { name: 'pool-2' }), /names a pod after its Sandbox/],
      ])('the controller makes no pod with %s', (_what, made, words) => {
        const { status, out } = created(made());
        expect(out).toMatch(words);
        expect(status).not.toBe(0);
      });

      test("the executor's token can create claims, and can't change pools, templates or pods", () => {
        const may = (verb: string, resource: string): string =>
          release
            .asExecutor(['auth', 'can-i', verb, resource, '--namespace', release.sandboxes])
            .out.trim()
            .split('\n')
            .at(-1) ?? '';
        const claims = 'sandboxclaims.extensions.agents.x-k8s.io';
        expect(['create', 'get', 'list', 'watch', 'delete'].map((verb) => may(verb, claims))).toEqual(
          Array(5).fill('yes'),
        );
        expect(may('update', claims)).toBe('no');
        for (const resource of ['sandboxtemplates', 'sandboxwarmpools'])
          expect([resource, may('create', `${resource}.extensions.agents.x-k8s.io`)]).toEqual([resource, 'no']);
        expect([may('create', 'pods'), may('delete', 'pods'), may('get', 'pods')]).toEqual(['no', 'no', 'yes']);
      });
    });
  },
);
