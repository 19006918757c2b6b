// SPDX-License-Identifier: Apache-2.0
// Sandboxes that are claimed from agent-sandbox, as the chart renders them.
import { LIMITS, SANDBOX_LIMITS } from '@writ/contract';
import { specOf, warmPoolOf } from '@writ/sandbox-k8s';
import { describeChart, objectOf, objectsOf, renderSmall, SMALL } from './chart.contract.ts';
import { podsOf } from './pods.ts';
import type { KubeObject, Values } from './render.ts';

const SANDBOXES = 'writ-sandboxes';
const OTHER = `sha256:${'2'.repeat(64)}`;
const CONTROLLER = 'system:serviceaccount:agent-sandbox-system:agent-sandbox-controller';

const claimed = (sandbox: Values = {}, agentSandbox: Values = {}): KubeObject[] =>
  renderSmall({ sandbox: { ...sandbox, agentSandbox: { enabled: true, ...agentSandbox } } });
const ofKind = (objects: readonly KubeObject[], kind: string): KubeObject[] =>
  objects.filter((each) => each.kind === kind);
const envOf = (objects: readonly KubeObject[], name: string): string | undefined =>
  podsOf(objects)
    .find(({ component }) => component === 'executor')
    ?.spec.containers[0]?.env?.find((each) => each.name === name)?.value;

const sizeOf = (memoryBytes: number) => ({
  memoryBytes,
  cpus: 1,
  pids: SANDBOX_LIMITS.pids,
  tmpfsBytes: LIMITS.containerBytes.max + LIMITS.deltaBytes.max,
});

interface Policy {
  readonly spec: {
    readonly variables: readonly object[];
    readonly validations: readonly { readonly expression: string; readonly message: string }[];
  };
}
interface Template {
  readonly spec: { readonly podTemplate: { readonly metadata: object; readonly spec: object } };
}

describeChart('sandboxes that are claimed', () => {
  test('are off by default: nothing of them is rendered', () => {
    const kinds = objectsOf(SMALL).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind.startsWith('Sandbox'))).toEqual([]);
    expect(envOf(objectsOf(SMALL), 'WRIT_SANDBOX_CLAIMS')).toBeUndefined();
  });

  test("have a pool under the name that an executor derives from a call's image and size", () => {
    const objects = claimed(
      { admissionPolicy: { images: [`writ-sandbox@${OTHER}`] } },
      {
        pools: [
          { memoryBytes: SANDBOX_LIMITS.memory_bytes, replicas: 3 },
          { memoryBytes: 67_108_864, replicas: 0, digest: OTHER },
        ],
      },
    );
    const prefix = envOf(objects, 'WRIT_SANDBOX_CLAIMS') ?? '';
    const names = [
      warmPoolOf(prefix, envOf(objects, 'WRIT_SANDBOX_IMAGE_DIGEST') ?? '', sizeOf(SANDBOX_LIMITS.memory_bytes)),
      warmPoolOf(prefix, OTHER, sizeOf(67_108_864)),
    ];
    const pools = ofKind(objects, 'SandboxWarmPool');
    expect(pools.map(({ metadata, spec }) => ({ at: metadata.namespace, name: metadata.name, spec }))).toEqual(
      names.map((name, index) => ({
        at: SANDBOXES,
        name,
        spec: { replicas: [3, 0][index], sandboxTemplateRef: { name }, updateStrategy: { type: 'Recreate' } },
      })),
    );
    expect(ofKind(objects, 'SandboxTemplate').map(({ metadata }) => metadata.name)).toEqual(names);
  });

  test.each([
    ['of the default image', {}, SANDBOX_LIMITS.memory_bytes, 'writ-sandbox:0.1.0'],
    ['of another image', { digest: OTHER }, 67_108_864, `writ-sandbox@${OTHER}`],
  ])('have a template %s with exactly the fields of the driver', (_which, pool, memoryBytes, image) => {
    const objects = claimed(
      { runtimeClassName: 'gvisor', hostUsers: false, admissionPolicy: { images: [image] } },
      { pools: [{ memoryBytes, replicas: 1, ...pool }] },
    );
    const [template] = ofKind(objects, 'SandboxTemplate') as unknown as [Template];
    expect(template.spec.podTemplate.spec).toEqual(
      specOf({ image, size: sizeOf(memoryBytes), refusedAt: [], runtimeClass: 'gvisor', hostUsers: false }),
    );
    expect(template.spec.podTemplate.metadata).toEqual({ labels: { writ: 'w-writ', 'writ.role': 'sandbox' } });
    expect(template.spec).toMatchObject({
      networkPolicyManagement: 'Unmanaged',
      envVarsInjectionPolicy: 'Disallowed',
      volumeClaimTemplatesPolicy: 'Disallowed',
      service: false,
    });
  });

  test('let the executor create claims, and not create or delete pods', () => {
    const { rules } = objectOf(claimed(), 'Role', 'w-writ-executor') as unknown as { rules: unknown };
    expect(rules).toEqual([
      {
        apiGroups: ['extensions.agents.x-k8s.io'],
        resources: ['sandboxclaims'],
        verbs: ['create', 'get', 'list', 'watch', 'delete'],
      },
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['pods/attach'], verbs: ['create', 'get'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        verbs: ['create', 'get', 'list', 'update', 'delete'],
      },
    ]);
  });

  test('can be created only by the controller of agent-sandbox, by the admission policy', () => {
    const { spec } = objectOf(claimed(), 'ValidatingAdmissionPolicy', `${SANDBOXES}-pods`) as unknown as Policy;
    expect(spec.variables).toContainEqual({ name: 'maker', expression: JSON.stringify(CONTROLLER) });
    expect(spec.validations).toContainEqual({
      expression: "request.operation != 'CREATE' || request.userInfo.username == variables.maker",
      message: 'only the controller of agent-sandbox makes pods here',
    });
    const executor = objectOf(claimed(), 'ValidatingAdmissionPolicy', `${SANDBOXES}-executor`) as unknown as Policy;
    expect(executor.spec.validations[0]?.expression).toContain("'CREATE sandboxclaims', 'DELETE sandboxclaims'");
    expect(executor.spec.validations[0]?.expression).not.toContain('CREATE pods');
  });
});
