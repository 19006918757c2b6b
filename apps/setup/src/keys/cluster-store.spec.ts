// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeApiServer, NAMESPACE, type FakeApiServer } from '../specs/fake-api-server.ts';
import { ClusterStore, inClusterTarget } from './cluster-store.ts';
import { keyStoreContract } from './key-store.contract.ts';
import { keySets } from './layout.ts';
import { makeKeys } from './make-keys.ts';

let root: string;
let server: FakeApiServer;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'writ-pod-'));
  server = await fakeApiServer();
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

let releases = 0;
const newStore = (): { store: ClusterStore; prefix: string } => {
  for (const [name, value] of Object.entries(server.mount(root))) vi.stubEnv(name, value);
  const prefix = `r${String((releases += 1))}`;
  return { prefix, store: new ClusterStore(inClusterTarget(prefix, root)) };
};
const SETS = keySets({ deployment: 'writ.spec', natsHosts: [], postgresHosts: [], now: () => new Date() });
const quiet = (): void => undefined;

keyStoreContract('a cluster', () => {
  const { store } = newStore();
  return {
    store,
    remove: (set) => {
      server.objects.delete(`${set.open ? 'configmaps' : 'secrets'}/${store.nameOf(set)}`);
    },
  };
});

it("secret keys are in Secrets, published ones in a ConfigMap, and all have the release's labels", async () => {
  const { store, prefix } = newStore();
  await makeKeys(SETS, store, quiet);
  const ours = [...server.objects].filter(([, { metadata }]) => metadata.name.startsWith(`${prefix}-`));
  expect(ours.map(([id]) => id)).toEqual([
    ...['kernel', 'ledger', 'executor', 'platform-key', 'orchestrator', 'migrate'].map(
      (name) => `secrets/${prefix}-${name}`,
    ),
    `configmaps/${prefix}-public-keys`,
  ]);
  for (const [, { metadata }] of ours) {
    expect(metadata).toMatchObject({
      namespace: NAMESPACE,
      labels: { 'app.kubernetes.io/managed-by': 'writ-setup', 'app.kubernetes.io/instance': prefix },
    });
  }
  expect(JSON.stringify(server.objects.get(`configmaps/${prefix}-public-keys`))).not.toContain('PRIVATE');
});

it('a Secret that lacks an entry is not changed, and the failure names the entry', async () => {
  const { store, prefix } = newStore();
  server.objects.set(`secrets/${prefix}-executor`, {
    kind: 'Secret',
    metadata: { name: `${prefix}-executor` },
    data: { 'nats-password': 'eA==' },
  });
  for (const name of ['kernel', 'ledger']) server.objects.set(`secrets/${prefix}-${name}`, await madeElsewhere(name));
  await expect(makeKeys(SETS, store, quiet)).rejects.toThrow(
    `Secret \`${prefix}-executor\` lacks \`postgres-writ_executor\`, and what is there is never changed: add it`,
  );
});

async function madeElsewhere(name: string): Promise<never> {
  const { store, prefix } = newStore();
  await makeKeys(SETS, store, quiet);
  return server.objects.get(`secrets/${prefix}-${name}`) as never;
}

it('a missing right of the service account is named in the failure', async () => {
  const { store, prefix } = newStore();
  server.refuse(new RegExp(`^POST secrets/${prefix}-ledger$`), 403);
  await expect(makeKeys(SETS, store, quiet)).rejects.toThrow(
    `the pod's service account may not create Secret \`${prefix}-ledger\` in namespace \`${NAMESPACE}\`: bind it ` +
      'to a Role with the verbs get and create on secrets and configmaps',
  );
  server.refuse(new RegExp(`^GET configmaps/${prefix}`), 500);
  await expect(makeKeys(SETS, store, quiet)).rejects.toThrow(
    `the API can't read ConfigMap \`${prefix}-public-keys\` in namespace \`${NAMESPACE}\` (status 500)`,
  );
});

it('outside of a pod the store fails before any request', () => {
  expect(() => inClusterTarget('r', join(root, 'nowhere'))).toThrow(
    '`--kubernetes` works in a pod with a service account only',
  );
});
