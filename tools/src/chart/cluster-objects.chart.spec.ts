// SPDX-License-Identifier: Apache-2.0
// Rights, admission, hooks, and objects beside the pods.
import {
  describeChart,
  EXAMPLES,
  examplePods,
  objectOf,
  objectsOf,
  PRODUCTION,
  renderSmall,
  SMALL,
} from './chart.contract.ts';
import { NAMESPACE, type KubeObject } from './render.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}
interface Policy {
  readonly spec: {
    readonly failurePolicy: string;
    readonly matchConstraints: { readonly namespaceSelector: unknown };
    readonly variables?: readonly { readonly name: string; readonly expression: string }[];
    readonly validations: readonly { readonly expression: string; readonly message: string }[];
  };
}

const HOOK = 'helm.sh/hook';
const SANDBOXES = 'writ-sandboxes';
const CLUSTER_WIDE = new Set([
  'Namespace',
  'ClusterRole',
  'ClusterRoleBinding',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'CustomResourceDefinition',
  'PriorityClass',
]);

const hookOf = ({ metadata }: KubeObject): string => metadata.annotations?.[HOOK] ?? '';
const weightOf = ({ metadata }: KubeObject): number => Number(metadata.annotations?.['helm.sh/hook-weight'] ?? 0);

describeChart('rights and hooks of the chart', () => {
  test('no account gets a cluster-wide right', () => {
    const kinds = EXAMPLES.flatMap((example) => objectsOf(example).map(({ kind }) => kind));
    expect(kinds.filter((kind) => kind.startsWith('ClusterRole'))).toEqual([]);
  });

  test("the executor's rights are for pods and leases in the namespace of sandboxes only", () => {
    const roles = objectsOf(SMALL).filter(({ kind }) => kind === 'Role');
    expect(roles.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort()).toEqual([
      `${SANDBOXES}/w-writ-executor`,
      `${NAMESPACE}/w-writ-keys`,
    ]);
    const { rules } = objectOf(objectsOf(SMALL), 'Role', 'w-writ-executor') as unknown as { rules: Rule[] };
    expect(rules).toEqual([
      { apiGroups: [''], resources: ['pods'], verbs: ['create', 'get', 'list', 'watch', 'delete'] },
      { apiGroups: [''], resources: ['pods/attach'], verbs: ['create', 'get'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        verbs: ['create', 'get', 'list', 'update', 'delete'],
      },
    ]);
  });

  test('the Job that makes keys may create and read Secrets and ConfigMaps, not change, delete or list them', () => {
    const { rules } = objectOf(objectsOf(SMALL), 'Role', 'w-writ-keys') as unknown as { rules: Rule[] };
    expect(rules).toEqual([{ apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['create', 'get'] }]);
  });

  test('the Jobs that rotate keys may read and change three objects by name, and nothing else', () => {
    const objects = renderSmall({ keys: { rotation: { enabled: true, schedules: { record: '0 3 1 */3 *' } } } });
    const { rules } = objectOf(objects, 'Role', 'w-writ-rotate-keys') as unknown as { rules: Rule[] };
    expect(rules).toEqual([
      {
        apiGroups: [''],
        resources: ['secrets'],
        resourceNames: ['w-writ-kernel', 'w-writ-ledger'],
        verbs: ['get', 'update'],
      },
      { apiGroups: [''], resources: ['configmaps'], resourceNames: ['w-writ-public-keys'], verbs: ['get', 'update'] },
    ]);
    const jobs = objects.filter(({ kind }) => kind === 'CronJob') as unknown as {
      metadata: { name: string };
      spec: { suspend: boolean };
    }[];
    expect(jobs.map(({ metadata, spec }) => [metadata.name, spec.suspend]).sort()).toEqual([
      ['w-writ-rotate-checkpoint', true],
      ['w-writ-rotate-permit', true],
      ['w-writ-rotate-record', false],
    ]);
  });

  test('the only hook of `helm test` is its pod: helm prints the log of a pod for each hook', () => {
    const hooks = objectsOf(SMALL).filter((object) => hookOf(object) === 'test');
    expect(hooks.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual(['Pod/w-writ-smoke']);
    const { serviceAccountName } = hooks[0]!['spec'] as { serviceAccountName: string };
    expect(hookOf(objectOf(objectsOf(SMALL), 'ServiceAccount', serviceAccountName))).toBe('');
  });

  test('an installation into one namespace has no objects of another', () => {
    const objects = objectsOf('one-namespace-values.yaml');
    expect(objects.filter(({ kind, metadata }) => CLUSTER_WIDE.has(kind) || metadata.namespace !== NAMESPACE)).toEqual(
      [],
    );
  });

  test('the namespace of sandboxes enforces `restricted`, and its quota allows pods and no Secrets', () => {
    expect(objectOf(objectsOf(SMALL), 'Namespace', SANDBOXES).metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    });
    const quota = objectsOf(SMALL).find(({ kind }) => kind === 'ResourceQuota')!;
    expect(quota.metadata.namespace).toBe(SANDBOXES);
    expect(quota['spec']).toMatchObject({
      hard: { pods: '100', secrets: '0', services: '0', persistentvolumeclaims: '0' },
    });
  });

  test('the admission policy covers the namespace of sandboxes, and fails closed', () => {
    const { spec } = objectOf(
      objectsOf('gvisor-values.yaml'),
      'ValidatingAdmissionPolicy',
      `${SANDBOXES}-pods`,
    ) as unknown as Policy;
    expect(spec).toMatchObject({
      failurePolicy: 'Fail',
      matchConstraints: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': SANDBOXES } } },
    });
    expect(spec.variables).toEqual(
      expect.arrayContaining([
        { name: 'account', expression: `"system:serviceaccount:${NAMESPACE}:w-writ-executor"` },
        { name: 'release', expression: '"w-writ"' },
        { name: 'images', expression: '["writ-sandbox:0.1.0"]' },
        { name: 'runtimeClass', expression: '"gvisor"' },
        { name: 'addedTolerations', expression: '[]' },
      ]),
    );
    expect(JSON.stringify(spec)).not.toContain('__');
    for (const { message } of spec.validations) expect(message).not.toBe('');
  });

  test('additions of a cluster are CEL literals in the admission policy', () => {
    const added = {
      labels: ['a/b'],
      annotations: ["it's", '"c"'],
      nodeSelector: { 'a/b': 'c' },
      tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
      priorityClassName: 'low',
    };
    const objects = renderSmall({ sandbox: { admissionPolicy: { added } } });
    const { spec } = objectOf(objects, 'ValidatingAdmissionPolicy', `${SANDBOXES}-pods`) as unknown as Policy;
    expect(Object.fromEntries((spec.variables ?? []).map(({ name, expression }) => [name, expression]))).toMatchObject({
      addedLabels: '["a/b"]',
      addedAnnotations: String.raw`["it's","\"c\""]`,
      addedNodeSelector: '{"a/b":"c"}',
      addedTolerations:
        '[{"effect": dyn("NoExecute"), "key": dyn("k"), "operator": dyn("Exists"), "tolerationSeconds": dyn(5)}]',
      priorityClass: '"low"',
    });
  });

  test.each([
    [{}, undefined, '""'],
    [{ hostUsers: null }, undefined, '""'],
    [{ hostUsers: true }, 'true', '"true"'],
    [{ hostUsers: false }, 'false', '"false"'],
  ])('with %j executor and admission policy have the same setting for host users', (sandbox, output, policy) => {
    const objects = renderSmall({ sandbox });
    const { spec } = objectOf(objects, 'ValidatingAdmissionPolicy', `${SANDBOXES}-pods`) as unknown as Policy;
    expect(spec.variables?.find(({ name }) => name === 'hostUsers')?.expression).toBe(policy);
    const text = JSON.stringify(objectOf(objects, 'Deployment', 'w-writ-executor'));
    expect(/"WRIT_SANDBOX_HOST_USERS","value":"([a-z]*)"/.exec(text)?.[1]).toBe(output);
  });

  test('each admission policy is bound, and denies', () => {
    const objects = objectsOf(SMALL);
    const policies = objects
      .filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
      .map(({ metadata }) => metadata.name);
    expect(policies.map((name) => name.replace(`${SANDBOXES}-`, ''))).toEqual(['pods', 'leases', 'access', 'executor']);
    for (const name of policies)
      expect(objectOf(objects, 'ValidatingAdmissionPolicyBinding', name)['spec']).toEqual({
        policyName: name,
        validationActions: ['Deny'],
      });
  });

  test('with an external Postgres keys come before migrations, and both before everything else', () => {
    const objects = objectsOf(PRODUCTION);
    const [keys, migrate] = ['w-writ-keys', 'w-writ-migrate'].map((name) => objectOf(objects, 'Job', name)) as [
      KubeObject,
      KubeObject,
    ];
    expect([hookOf(keys), hookOf(migrate)]).toEqual(['pre-install,pre-upgrade', 'pre-install,pre-upgrade']);
    expect(weightOf(keys)).toBeLessThan(weightOf(migrate));
    // The objects that a hook's pod needs must exist before it.
    const needs = objects.filter((object) => hookOf(object) === 'pre-install,pre-upgrade' && object.kind !== 'Job');
    expect(needs.map(({ kind }) => kind).sort()).toEqual([
      'NetworkPolicy',
      'NetworkPolicy',
      'Role',
      'RoleBinding',
      'ServiceAccount',
      'ServiceAccount',
    ]);
    for (const need of needs) expect(weightOf(need)).toBeLessThan(weightOf(keys));
  });

  test('the bundled Postgres is migrated beside its installation, and before an upgrade', () => {
    expect(hookOf(objectOf(objectsOf(SMALL), 'Job', 'w-writ-migrate'))).toBe('');
    expect(hookOf(objectOf(objectsOf(SMALL, true), 'Job', 'w-writ-migrate'))).toBe('pre-install,pre-upgrade');
  });

  test('migrations mount only the Secrets of the database', () => {
    const migrate = examplePods(PRODUCTION).find(({ component }) => component === 'migrate')!;
    const secrets = migrate.spec.volumes!.flatMap(
      ({ secret }) => (secret as { secretName: string } | undefined)?.secretName ?? [],
    );
    expect(secrets).toEqual(['writ-postgres-admin', 'w-writ-migrate']);
    expect(JSON.stringify(migrate.spec)).not.toMatch(/w-writ-(kernel|ledger|executor|orchestrator)/);
  });

  test('labels and annotations of all objects reach all objects', () => {
    const objects = objectsOf(PRODUCTION).filter(
      ({ kind }) => kind !== 'ValidatingAdmissionPolicy' && kind !== 'ValidatingAdmissionPolicyBinding',
    );
    expect(objects.filter(({ metadata }) => metadata.labels?.['team'] !== 'platform').map(({ kind }) => kind)).toEqual(
      [],
    );
    const workloads = objects.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
    for (const { metadata } of workloads)
      expect(metadata.annotations).toMatchObject({ 'example.com/owner': 'platform' });
  });

  test('a digest takes precedence over a tag, and a mirror over a registry', () => {
    const images = (example: string): string[] =>
      [...new Set(examplePods(example).flatMap(({ spec }) => spec.containers.map(({ image }) => image)))].sort();
    expect(images(PRODUCTION)).toEqual([`registry.example.com/writ/writ@sha256:${'1'.repeat(64)}`]);
    expect(images('air-gapped-values.yaml')).toEqual(
      ['library/nats:2.11.10-alpine', 'library/postgres:17.6-bookworm', `writ/writ@sha256:${'1'.repeat(64)}`].map(
        (image) => `mirror.example.internal/${image}`,
      ),
    );
  });

  test('the bundled NATS reads its passwords as texts, and has the shard of the values', () => {
    const objects = renderSmall({ shard: 's7' });
    const conf = (objectOf(objects, 'ConfigMap', 'w-writ-nats') as unknown as { data: Record<string, string> }).data[
      'nats.conf'
    ]!;
    expect(conf).toContain('"writ.v1.s7.kernel.admit"');
    expect(conf).not.toMatch(/__[A-Z_]+__/);
    const nats = examplePods(SMALL).find(({ component }) => component === 'nats')!;
    expect(nats.spec.containers[0]!.env).toContainEqual({
      name: 'WRIT_NATS_PASSWORD_KERNEL',
      value: '"$(PASSWORD_KERNEL)"',
    });
    for (const [, name = ''] of conf.matchAll(/password: \$(\w+)/g))
      expect(nats.spec.containers[0]!.env!.map((each) => each.name)).toContain(name);
  });
});
