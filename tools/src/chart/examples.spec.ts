// SPDX-License-Identifier: Apache-2.0
// helm/writ/examples: manifests that import an operator's own keys into the cluster.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readKeySets } from './key-sets.ts';
import { CHART, parseObjects, type KubeObject } from './render.ts';

const read = (name: string): string => readFileSync(join(CHART, name), 'utf8');

/** The entries of each Secret and of the ConfigMap. */
const ENTRIES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  (await readKeySets()).map(({ name, entries }) => [name, entries.map((entry) => entry.name)]),
);

/** Each Secret that the chart mounts: its name in `existing-keys-values.yaml`, and the name of its key set in code. */
const NAMES = (parse(read('ci/existing-keys-values.yaml')) as { keys: { existingSecrets: Record<string, string> } })
  .keys.existingSecrets;
const SET_OF: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(NAMES).map(([of, name]) => [name, of === 'platformKey' ? 'platform-key' : of]),
);

test('the values name exactly the entries of each Secret that the set-up makes', () => {
  const values = read('values.yaml');
  for (const of of ['kernel', 'ledger', 'executor', 'orchestrator', 'platformKey']) {
    const [, comment = ''] = new RegExp(`# -- (Secret [^\\n]*)\\n    ${of}: ""`).exec(values) ?? [];
    const named = [...comment.matchAll(/`([^`]+)`/g)].map(([, name]) => name).filter((name) => name !== 'helm test');
    expect({ of, named }).toEqual({ of, named: ENTRIES[of === 'platformKey' ? 'platform-key' : of] });
  }
  const [, published = ''] = /# -- (ConfigMap with the public keys[^\n]*)/.exec(values) ?? [];
  expect([...published.matchAll(/`([^`]+)`/g)].map(([, name]) => name).sort()).toEqual(
    [...(ENTRIES['public-keys'] ?? [])].sort(),
  );
});

interface ExternalSecret {
  readonly secretStoreRef: { readonly kind: string; readonly name: string };
  readonly target: { readonly name: string; readonly deletionPolicy: string };
  readonly dataFrom: readonly { readonly extract: { readonly key: string } }[];
}

test('there is one ExternalSecret for each Secret, which copies the store entry of the same set', () => {
  const objects = parseObjects(read('examples/external-secrets.yaml'));
  expect(objects.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual(
    objects.map(() => 'external-secrets.io/v1 ExternalSecret'),
  );
  expect(objects.map(({ metadata }) => metadata.name).sort()).toEqual(Object.values(NAMES).sort());
  for (const object of objects) {
    const { target, dataFrom, secretStoreRef } = object['spec'] as ExternalSecret;
    const { name } = object.metadata;
    expect({ name, target: target.name, key: dataFrom.map(({ extract }) => extract.key) }).toEqual({
      name,
      target: name,
      key: [`writ/${SET_OF[name] ?? ''}`],
    });
    // A deletion of the ExternalSecret by mistake must not delete the keys of running services.
    expect({ name, deletionPolicy: target.deletionPolicy }).toEqual({ name, deletionPolicy: 'Retain' });
    expect(secretStoreRef.kind).toBe('ClusterSecretStore');
  }
});

test("the list of entries in the examples' README matches the set-up", () => {
  const rows = [...read('examples/README.md').matchAll(/^ *- \*\*`writ\/([a-z-]+)`\*\*: ([^]+?)(?=\n *- |\n\n)/gm)].map(
    ([, set = '', entries = '']) => [set, [...entries.matchAll(/`([^`]+)`/g)].map(([, name]) => name)] as const,
  );
  const expected = Object.values(SET_OF).map((set) => [set, ENTRIES[set]] as const);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(expected));
});

interface ProviderClass {
  readonly parameters: { readonly objects: string };
  readonly secretObjects: readonly {
    readonly secretName: string;
    readonly type: string;
    readonly data: readonly { readonly objectName: string; readonly key: string }[];
  }[];
}

describe.each(
  Object.entries(SET_OF).filter(([, set]) => ['kernel', 'ledger', 'executor', 'orchestrator'].includes(set)),
)('the SecretProviderClass `%s`', (name, set) => {
  const classes = (): KubeObject[] => parseObjects(read('examples/secrets-store-csi.yaml'));

  test('makes exactly the entries that the service mounts, each from the store entry of that name', () => {
    const object = classes().find(({ metadata }) => metadata.name === name);
    expect(object).toMatchObject({ apiVersion: 'secrets-store.csi.x-k8s.io/v1', kind: 'SecretProviderClass' });
    const { parameters, secretObjects } = object!['spec'] as ProviderClass;
    const [secret, ...others] = secretObjects;
    expect({ others, secretName: secret?.secretName, type: secret?.type }).toEqual({
      others: [],
      secretName: name,
      type: 'Opaque',
    });
    expect(secret?.data).toEqual(ENTRIES[set]?.map((entry) => ({ objectName: entry, key: entry })));
    expect(parse(parameters.objects)).toEqual(
      ENTRIES[set]?.map((entry) => ({ objectName: entry, secretPath: `secret/data/writ/${set}`, secretKey: entry })),
    );
  });
});
