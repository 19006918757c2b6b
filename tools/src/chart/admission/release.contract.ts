// SPDX-License-Identifier: Apache-2.0
// A release's namespace of sandboxes on a real API server, with its policies and rights, without its services.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeApi, podOf, type PodOptions } from '@writ/sandbox-k8s';
import { chartTools, exampleFile, SMALL } from '../chart.contract.ts';
import { findChartTools } from '../chart-tools.ts';
import { renderText, type Values } from '../render.ts';
import type { Schemas } from './mutations.contract.ts';

/** An administrator's file. */
const KUBECONFIG = process.env['WRIT_CLUSTER_KUBECONFIG'];
const isHere = KUBECONFIG !== undefined && findChartTools(process.env) !== null;

/** A suite that needs an API server and helm; without them it is skipped, with the reason in its name. */
export const describeCluster = (name: string, specs: () => void): void => {
  const why = 'skipped: no cluster; `npm run cluster` makes one, WRIT_CLUSTER_KUBECONFIG names its file';
  describe.skipIf(!isHere)(isHere ? name : `${name} (${why})`, specs);
};

/** Templates that make the namespace of sandboxes and its rights. */
const TEMPLATES = [
  ...['namespace', 'networkpolicy', 'quota', 'rbac', 'admission'].map((name) => `sandbox/${name}`),
  'components/serviceaccounts',
];

/** The API server applies new policies and rights after a moment, on a busy machine a long one. */
const SEEN = { timeout: 60_000, interval: 500 };
const REQUEST_MS_MAX = 60_000;

/** An attach ends with its agent, which waits for its executor. */
const KUBECTL_MS_MAX = 20_000;

/** The image that the smallest example of values names. */
const IMAGE = 'writ-sandbox:0.1.0';
export const MIB = 1024 * 1024;

export interface Printed {
  readonly status: number | null;
  readonly out: string;
}

/** The object that the API server would create, or the reason of its refusal. */
export type Tried = { readonly made: object } | { readonly refusal: string };

export type Trying = (object: object) => Promise<Tried>;

/** What an executor creates, and the path of its API. */
const ROOTS = { pods: '/api/v1', leases: '/apis/coordination.k8s.io/v1' } as const;
type Kind = keyof typeof ROOTS;

type Made = 'pods' | 'sandboxclaims.extensions.agents.x-k8s.io';

/** Metadata that the API server sets anew each time. */
const VOLATILE = new Set(['uid', 'creationTimestamp', 'resourceVersion', 'managedFields']);

/** The created object, without what differs each time. @throws Error where it was refused */
export function madeOf(tried: Tried): object {
  if ('refusal' in tried) throw new Error(tried.refusal);
  const { metadata, ...rest } = tried.made as { readonly metadata: object };
  return { ...rest, metadata: Object.fromEntries(Object.entries(metadata).filter(([name]) => !VOLATILE.has(name))) };
}

export class ReleaseOnCluster {
  /** Unique, since others may run the same tests in parallel. */
  readonly name: string;
  readonly sandboxes: string;
  /** a namespace without our policies */
  readonly open: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'writ-admission-'));
  readonly #apis: KubeApi[] = [];

  constructor() {
    this.name = `writ-admission-${randomBytes(3).toString('hex')}`;
    this.sandboxes = `${this.name}-sandboxes`;
    this.open = `${this.name}-open`;
  }

  /**
   * @param values override those of the smallest example
   * @param makes what the executor creates with them: pods, or claims of them
   */
  async install(values: Values = {}, makes: Made = 'pods'): Promise<void> {
    this.must(['create', 'namespace', this.name]);
    this.must(['create', 'namespace', this.open]);
    const text = renderText({
      helm: chartTools().helm,
      files: [exampleFile(SMALL)],
      values: { ...values, fullnameOverride: this.name },
      namespace: this.name,
      only: makes === 'pods' ? TEMPLATES : [...TEMPLATES, 'sandbox/agent-sandbox'],
    });
    this.must(['apply', '-f', '-'], text);
    const token = this.must(['create', 'token', `${this.name}-executor`, '--namespace', this.name]).trim();
    this.#writeExecutorConfig(token);
    await this.#untilApplied(makes);
  }

  remove(): void {
    for (const api of this.#apis) api.close();
    const policies = ['pods', 'leases', 'access', 'executor'].map((each) => `${this.sandboxes}-${each}`);
    for (const kind of ['validatingadmissionpolicybinding', 'validatingadmissionpolicy'])
      this.must(['delete', kind, ...policies, '--ignore-not-found']);
    const namespaces = [this.sandboxes, this.open, this.name];
    this.must(['delete', 'namespace', ...namespaces, '--wait=false', '--ignore-not-found']);
    rmSync(this.#folder, { recursive: true });
  }

  /** Runs kubectl as the administrator. */
  kubectl(args: readonly string[], input?: object | string): Printed {
    const text = typeof input === 'object' ? JSON.stringify(input) : input;
    const { status, stdout, stderr } = spawnSync('kubectl', args, {
      encoding: 'utf8',
      input: text,
      env: { ...process.env, KUBECONFIG },
      timeout: KUBECTL_MS_MAX,
    });
    return { status, out: `${stdout}${stderr}` };
  }

  must(args: readonly string[], input?: object | string): string {
    const { status, out } = this.kubectl(args, input);
    if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${out}`);
    return out;
  }

  /** Runs kubectl as the executor, with only its token. */
  asExecutor(args: readonly string[], input?: object): Printed {
    return this.kubectl(['--kubeconfig', this.executorConfig, ...args], input);
  }

  /** A dry run of the executor's request in the namespace of sandboxes. */
  async tryer(kind: Kind = 'pods'): Promise<Trying> {
    return this.#trying(this.executorConfig, this.sandboxes, kind);
  }

  /** A dry run of an administrator's request in the namespace without policies. */
  async openTryer(kind: Kind = 'pods'): Promise<Trying> {
    return this.#trying(KUBECONFIG ?? '', this.open, kind);
  }

  /** The API server's OpenAPI schemas by name. */
  async schemas(kind: Kind = 'pods'): Promise<Schemas> {
    const api = await this.#api(KUBECONFIG ?? '');
    const { components } = await api.request<{ components: { schemas: Schemas } }>('tell its schemas', {
      method: 'GET',
      path: `/openapi/v3${ROOTS[kind]}`,
      signal: AbortSignal.timeout(REQUEST_MS_MAX),
    });
    return components.schemas;
  }

  /** A kubeconfig with the rights of the executor. */
  get executorConfig(): string {
    return join(this.#folder, 'executor');
  }

  async #api(kubeconfig: string): Promise<KubeApi> {
    const api = await KubeApi.load({ kubeconfig });
    this.#apis.push(api);
    return api;
  }

  async #trying(kubeconfig: string, namespace: string, kind: Kind): Promise<Trying> {
    const api = await this.#api(kubeconfig);
    return async (object) => {
      const { metadata } = object as { readonly metadata?: object };
      try {
        const made = await api.request<object>('make it', {
          method: 'POST',
          path: `${ROOTS[kind]}/namespaces/${namespace}/${kind}`,
          query: { dryRun: 'All', fieldValidation: 'Strict' },
          body: { ...object, metadata: { ...metadata, namespace } },
          signal: AbortSignal.timeout(REQUEST_MS_MAX),
        });
        return { made };
      } catch (error) {
        return { refusal: (error as Error).message };
      }
    };
  }

  /** A kubeconfig with the cluster's address and CA, and the token's rights. */
  #writeExecutorConfig(token: string): void {
    const whole = JSON.parse(this.must(['config', 'view', '--raw', '--minify', '-o', 'json'])) as {
      users: { name: string; user: object }[];
    };
    const users = whole.users.map((each) => ({ name: each.name, user: { token } }));
    writeFileSync(this.executorConfig, JSON.stringify({ ...whole, users }), { mode: 0o600 });
  }

  async #untilApplied(makes: Made): Promise<void> {
    // A pod that no policy could admit, by a user with every right.
    const [probe, lease] = ['pods', 'leases'].map((kind) => this.#probe(kind)) as [object, object];
    await vi.waitFor(() => {
      for (const each of [probe, lease])
        expect(this.kubectl(['create', '--dry-run=server', '-f', '-'], each).out).toMatch(/only the [a-z -]+ makes/);
      const asked = this.asExecutor(['auth', 'can-i', 'create', makes, '--namespace', this.sandboxes]);
      expect(asked.out).toMatch(/^yes/);
      const at = ['--namespace', this.open, '-o', 'name'];
      expect(this.kubectl(['get', 'serviceaccount', 'default', ...at]).status).toBe(0);
    }, SEEN);
  }

  #probe(kind: string): object {
    const metadata = { name: 'probe', namespace: this.sandboxes };
    if (kind === 'leases') return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata };
    const securityContext = {
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    };
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: { containers: [{ name: 'probe', image: 'probe', securityContext }] },
    };
  }
}

/** A pod as the driver makes it for that release: the largest, unless the options state otherwise. */
export const driverPodOf = ({ name, sandboxes }: ReleaseOnCluster, options: Partial<PodOptions> = {}): object =>
  podOf({
    name: 'writ-exe-1-0123456789',
    namespace: sandboxes,
    image: IMAGE,
    size: { cpus: 1, memoryBytes: 1024 * MIB, pids: 256, tmpfsBytes: 512 * MIB },
    labels: { writ: name, 'writ.role': 'sandbox', 'writ.owner': 'exe_1' },
    owner: { name: 'writ-exe-1', uid: 'u' },
    refusedAt: ['10.0.0.1:80', '[fd00::1]:443'],
    ...options,
  });
