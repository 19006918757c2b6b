// SPDX-License-Identifier: Apache-2.0
// The controller of agent-sandbox on a fake API server, as far as it is visible in a claim. It binds each claim to a
// Sandbox of the named pool, whose pod comes from a template, and removes the pod when the claim is gone.
import type { V1Pod, V1PodSpec } from '@kubernetes/client-node';
import type { SandboxSize } from '@writ/sandbox-host';
import { warmPoolOf } from './agent-sandbox.ts';
import type { FakeApi, Stored } from './fake-api.contract.ts';
import { IMAGE, REFERENCE } from './fake-cluster.contract.ts';
import { specOf } from './pod-shape.ts';

export const WARM_POOLS = 'test';
const GROUP = '/apis/extensions.agents.x-k8s.io';
const LABELS = { writ: 'test', 'writ.role': 'sandbox' };

/** A claim as it was created. */
type Claim = Stored & { readonly spec?: { readonly warmPoolRef?: { readonly name?: string } } };

export class FakeClaims {
  /** changes each pod on creation, as a template or a webhook might */
  alter: (pod: V1Pod) => V1Pod = (pod) => pod;
  /** whether claims are bound to Sandboxes; else they wait */
  binds = true;
  readonly #api: FakeApi;
  readonly #templates = new Map<string, V1PodSpec>();
  #made = 0;

  constructor(api: FakeApi) {
    this.#api = api;
    this.serve('v1beta1');
    api.controller = (type, object) => this.#onChange(type, object as Claim);
  }

  /** Serves these versions of the API; without any, the CRDs are not installed. */
  serve(...versions: readonly string[]): void {
    this.#api.served.clear();
    if (versions.length === 0) return;
    const groups = versions.map((version) => ({ groupVersion: `extensions.agents.x-k8s.io/${version}`, version }));
    this.#api.served.set(GROUP, { kind: 'APIGroup', versions: groups });
    for (const version of versions)
      this.#api.served.set(`${GROUP}/${version}`, { kind: 'APIResourceList', resources: [{ name: 'sandboxclaims' }] });
  }

  /** Adds a warm pool for pods of that size. */
  pool(size: SandboxSize): void {
    const spec = specOf({ image: `${REFERENCE}@${IMAGE}`, size, refusedAt: [] });
    this.#templates.set(warmPoolOf(WARM_POOLS, IMAGE, size), spec);
  }

  get claims(): Claim[] {
    return this.#api.ofKind('SandboxClaim');
  }

  #onChange(type: string, object: Claim): void {
    if (object.kind !== 'SandboxClaim') return;
    if (type === 'ADDED' && this.binds) setImmediate(() => this.#bind(object));
    // The cluster's garbage collector removes the Sandbox and then its pod.
    if (type === 'DELETED') for (const pod of this.#podsOf(object)) setTimeout(() => this.#api.collect('Pod', pod), 5);
  }

  #bind({ metadata, spec }: Claim): void {
    const name = metadata?.name ?? '';
    const pool = spec?.warmPoolRef?.name ?? '';
    const template = this.#templates.get(pool);
    const say = (ready: object, sandbox?: string) =>
      this.#api.change('SandboxClaim', name, {
        status: {
          conditions: [{ type: 'Ready', ...ready }],
          ...(sandbox === undefined ? {} : { sandbox: { name: sandbox } }),
        },
      });
    if (template === undefined)
      return say({ status: 'False', reason: 'WarmPoolNotFound', message: `SandboxWarmPool "${pool}" not found` });
    const sandbox = `${pool}-${(this.#made += 1)}`;
    const owner = {
      apiVersion: 'agents.x-k8s.io/v1beta1',
      kind: 'Sandbox',
      name: sandbox,
      uid: `uid-of-${sandbox}`,
      controller: true,
    };
    const pod: V1Pod = {
      metadata: { name: sandbox, labels: { ...LABELS, 'test/claim': name }, ownerReferences: [owner] },
      spec: asServed(template),
    };
    this.#api.create({ kind: 'Pod', ...this.alter(pod) });
    say({ status: 'True', reason: 'DependenciesReady' }, sandbox);
  }

  #podsOf({ metadata }: Claim): string[] {
    return this.#api.pods
      .filter((pod) => pod.metadata?.labels?.['test/claim'] === metadata?.name)
      .map((pod) => pod.metadata?.name ?? '');
  }
}

/** A spec as an API server shows it: with defaults, without fields that are false, and with normalized quantities. */
export function asServed(spec: V1PodSpec): V1PodSpec {
  const { hostNetwork: _network, hostPID: _pid, hostIPC: _ipc, ...rest } = structuredClone(spec);
  const [container] = rest.containers;
  if (container === undefined) throw new Error('a sandbox has a container');
  const { tty: _tty, ...others } = container;
  return {
    ...rest,
    containers: [
      {
        ...others,
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        resources: { ...others.resources, limits: { ...others.resources?.limits, cpu: '1' } },
      },
    ],
    schedulerName: 'default-scheduler',
    serviceAccount: 'default',
    serviceAccountName: 'default',
    nodeName: 'a-node',
    priority: 0,
    preemptionPolicy: 'PreemptLowerPriority',
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
  };
}
