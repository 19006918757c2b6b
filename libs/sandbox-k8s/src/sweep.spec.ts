// SPDX-License-Identifier: Apache-2.0
import { FakeApi } from './fake-api.contract.ts';
import { KubeApi } from './kube-api.ts';
import { podsOf } from './pod-source.ts';
import { Sweep } from './sweep.ts';

const LABELS = { writ: 'test', 'writ.owner': 'exe_other' };
const LONG_AGO = new Date(Date.now() - 2 * 60 * 60_000).toISOString();

let api: FakeApi;
let kube: KubeApi;

beforeEach(async () => {
  api = new FakeApi();
  await api.open();
  kube = await KubeApi.load({ kubeconfig: api.kubeconfig });
  api.put({
    kind: 'Lease',
    metadata: { name: 'writ-dead', labels: LABELS, uid: 'uid-of-dead' },
    spec: { renewTime: LONG_AGO, leaseDurationSeconds: 40 },
  });
  const ownerReferences = [{ uid: 'uid-of-dead' }];
  for (const kind of ['Pod', 'SandboxClaim'])
    api.put({ kind, metadata: { name: 'orphan', labels: LABELS, ownerReferences } });
});
afterEach(async () => {
  kube.close();
  await api.close();
});

const CLAIMS = '/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/sandboxes/sandboxclaims';
const SOURCES = {
  pods: { what: 'pods', path: podsOf('sandboxes') },
  claims: { what: 'claims', path: CLAIMS },
} as const;
const sweep = (what: keyof typeof SOURCES): Promise<number> =>
  new Sweep({
    api: kube,
    source: SOURCES[what],
    namespace: 'sandboxes',
    selector: 'writ=test',
    owner: ['writ.owner', 'exe_test'],
  }).sweep(() => true);

describe('a sweep', () => {
  it.each([
    ['a lease', 'pods', /^DELETE .*leases\/writ-dead$/],
    ['a pod', 'pods', /^DELETE .*pods\/orphan$/],
    ['a lease', 'claims', /^DELETE .*leases\/writ-dead$/],
    ['a claim', 'claims', /^DELETE .*sandboxclaims\/orphan$/],
  ] as const)('that may not delete %s, among %s, reports that object', async (object, what, request) => {
    api.refuse(request, { status: 403, reason: 'Forbidden', message: 'no right' });
    await expect(sweep(what)).rejects.toThrow(`the API server refuses to delete ${object} (403 Forbidden): no right`);
  });

  it.each([
    [404, 'is gone meanwhile'],
    [409, 'was renewed meanwhile'],
  ])('continues where the server answers %i: the object %s', async (status) => {
    api.refuse(/^DELETE .*leases\/writ-dead$/, { status, message: 'no' });
    expect(await sweep('pods')).toBe(1);
    expect(api.requests.filter((asked) => asked.startsWith('DELETE')).at(-1)).toMatch(/pods\/orphan$/);
  });
});
