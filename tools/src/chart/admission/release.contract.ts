// SPDX-License-Identifier: Apache-2.0
// A release's namespace of sandboxes on a real API server, with its policies and rights and none of its services.
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

/** Describes what needs an API server and helm; skipped, and named so, where one is missing. */
export const describeCluster = (name: string, specs: () => void): void => {
  const why = 'skipped: no cluster; `npm run cluster` makes one, WRIT_CLUSTER_KUBECONFIG names its file';
  describe.skipIf(!isHere)(isHere ? name : `${name} (${why})`, specs);
};

/** What makes the namespace of sandboxes, and who may do what there. */
const TEMPLATES = [
  ...['namespace', 'networkpolicy', 'quota', 'rbac', 'admission'].map((name) => `sandbox/${name}`),
  'components/serviceaccounts',
];

/** The API server takes a moment to see new policies and rights, on a busy machine a long one. */
const SEEN = { timeout: 60_000, interval: 500 };
const REQUEST_MS_MAX = 60_000;

/** An attach to an agent ends when that does, which waits for its executor. */
const KUBECTL_MS_MAX = 20_000;

/** The image that the smallest example of values names. */
const IMAGE = 'writ-sandbox:0.1.0';
export const MIB = 1024 * 1024;

export interface Said {
  readonly status: number | null;
  readonly out: string;
}

/** An object that the API server would make of one that it is given, or why it makes none. */
export type Tried = { readonly made: object } | { readonly refusal: string };

export type Trying = (object: object) => Promise<Tried>;

/** What an executor makes, and where its API lies. */
const ROOTS = { pods: '/api/v1', leases: '/apis/coordination.k8s.io/v1' } as const;
type Kind = keyof typeof ROOTS;

type Made = 'pods' | 'sandboxclaims.extensions.agents.x-k8s.io';

/** Metadata that the API server writes anew each time, whatever is asked for. */
const VOLATILE = new Set(['uid', 'creationTimestamp', 'resourceVersion', 'managedFields']);

/** What was made, without what differs each time. @throws Error where nothing was made */
export function madeOf(tried: Tried): object {
  if ('refusal' in tried) throw new Error(tried.refusal);
  const { metadata, ...rest } = tried.made as { readonly metadata: object };
  return { ...rest, metadata: Object.fromEntries(Object.entries(metadata).filter(([name]) => !VOLATILE.has(name))) };
}

export class ReleaseOnCluster {
  /** Others beside it may run the same tests. */
  readonly name: string;
  readonly sandboxes: string;
  /** a namespace in which nothing is refused but what the API server itself refuses */
  readonly open: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'writ-admission-'));
  readonly #apis: KubeApi[] = [];

  constructor() {
    this.name = `writ-admission-${randomBytes(3).toString('hex')}`;
    this.sandboxes = `${this.name}-sandboxes`;
    this.open = `${this.name}-open`;
  }

  /**
   * @param values over those of the smallest example
   * @param makes what the executor makes by them: pods, or claims of them
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
    await this.#untilSeen(makes);
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

  /** As the administrator. */
  kubectl(args: readonly string[], input?: object | string): Said {
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

  /** As the executor, by its token alone. */
  asExecutor(args: readonly string[], input?: object): Said {
    return this.kubectl(['--kubeconfig', this.executorConfig, ...args], input);
  }

  /** What the executor would get in the namespace of sandboxes. Nothing is made. */
  async tryer(kind: Kind = 'pods'): Promise<Trying> {
    return this.#trying(this.executorConfig, this.sandboxes, kind);
  }

  /** What an administrator would get where no policy is. Nothing is made. */
  async openTryer(kind: Kind = 'pods'): Promise<Trying> {
    return this.#trying(KUBECONFIG ?? '', this.open, kind);
  }

  /** The schemas of the API server by their names, as OpenAPI has them. */
  async schemas(kind: Kind = 'pods'): Promise<Schemas> {
    const api = await this.#api(KUBECONFIG ?? '');
    const { components } = await api.ask<{ components: { schemas: Schemas } }>('tell its schemas', {
      method: 'GET',
      path: `/openapi/v3${ROOTS[kind]}`,
      signal: AbortSignal.timeout(REQUEST_MS_MAX),
    });
    return components.schemas;
  }

  /** A file of configuration with the rights of the executor. */
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
        const made = await api.ask<object>('make it', {
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

  /** A file of configuration with the cluster's address and authority, and nobody's rights but the token's. */
  #writeExecutorConfig(token: string): void {
    const whole = JSON.parse(this.must(['config', 'view', '--raw', '--minify', '-o', 'json'])) as {
      users: { name: string; user: object }[];
    };
    const users = whole.users.map((each) => ({ name: each.name, user: { token } }));
    writeFileSync(this.executorConfig, JSON.stringify({ ...whole, users }), { mode: 0o600 });
  }

  async #untilSeen(makes: Made): Promise<void> {
    // One that no policy could admit, by somebody whom every right lets make it.
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

/** A pod as the driver makes it for that release: the largest, unless the options say otherwise. */
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
