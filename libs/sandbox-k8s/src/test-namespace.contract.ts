// SPDX-License-Identifier: Apache-2.0
// A namespace of a real cluster for one spec: closed by a network policy, restricted to PodSecurity `restricted`, and
// used with an executor's rights only.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineNotReady, type SandboxSize } from '@writ/sandbox-host';
import { assertClaims, warmPoolOf } from './agent-sandbox.ts';
import { ApiError } from './api-error.ts';
import { referencesFrom } from './image-reference.ts';
import { KubeApi } from './kube-api.ts';
import { KubernetesSandbox, type KubernetesSandboxConfig } from './kubernetes-sandbox.ts';
import { specOf } from './pod-shape.ts';

/** A kubeconfig of a cluster's administrator, for tests that create their own objects; absent: there is no cluster. */
export const CLUSTER = process.env['WRIT_CLUSTER_KUBECONFIG'];
/** The sandbox image by the nodes' reference, and its digest in jobs. */
export const REFERENCE = process.env['WRIT_CLUSTER_SANDBOX_IMAGE'] ?? '';
export const DIGEST = process.env['WRIT_CLUSTER_SANDBOX_DIGEST'] ?? '';

const extensionsOf = (namespace: string): string => `/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/${namespace}`;
/** The prefix of the names of warm pools. */
export const WARM_POOLS = 'test';

const CORE = '/api/v1/namespaces';

/** Whether the cluster has agent-sandbox. Rejects where the cluster doesn't answer. */
export async function hasClaims(): Promise<boolean> {
  const api = await KubeApi.load({ kubeconfig: CLUSTER ?? '' });
  try {
    await assertClaims(api, AbortSignal.timeout(60_000));
    return true;
  } catch (error) {
    if (error instanceof EngineNotReady && error.problem === 'missing') return false;
    throw error;
  } finally {
    api.close();
  }
}

/** The rights of an executor, in the sandboxes' namespace only. */
const MAKES = { apiGroups: [''], resources: ['pods'], verbs: ['create', 'get', 'list', 'watch', 'delete'] };
/** The rights of an executor that claims pods. */
const CLAIMS = [
  {
    apiGroups: ['extensions.agents.x-k8s.io'],
    resources: ['sandboxclaims'],
    verbs: ['create', 'get', 'list', 'watch', 'delete'],
  },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
];
const RULES = [
  { apiGroups: [''], resources: ['pods/attach'], verbs: ['create', 'get'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'list', 'update', 'delete'] },
];

export class TestNamespace {
  readonly name = `writ-sandboxes-${randomUUID().slice(0, 8)}`;
  /** a kubeconfig file with the executor's rights */
  kubeconfig = '';
  /** listens on the host, where pods reach it unless a policy stops them */
  canary = { host: '', port: 0 };
  readonly #admin: KubeApi;
  readonly #canary = createServer((socket) => socket.on('error', () => undefined).end());

  /** @param claims whether its executor claims pods instead of creating them */
  static async make(isClosed = true, claims = false): Promise<TestNamespace> {
    if (DIGEST === '' || REFERENCE === '')
      throw new Error(
        'the sandbox image of the cluster is not named: set WRIT_CLUSTER_SANDBOX_IMAGE and WRIT_CLUSTER_SANDBOX_DIGEST',
      );
    const made = new TestNamespace(await KubeApi.load({ kubeconfig: CLUSTER ?? '' }));
    await made.#set(isClosed, claims);
    return made;
  }

  private constructor(admin: KubeApi) {
    this.#admin = admin;
  }

  /** A sandbox in the namespace, with a new owner. */
  async open(config: Partial<KubernetesSandboxConfig> = {}): Promise<KubernetesSandbox> {
    return await KubernetesSandbox.open({
      api: await KubeApi.load({ kubeconfig: this.kubeconfig }),
      namespace: this.name,
      label: 'test',
      owner: `exe_${randomUUID().replaceAll('-', '')}`,
      pools: [],
      referenceOf: referencesFrom(REFERENCE, DIGEST),
      canaries: [this.canary],
      ...config,
    });
  }

  /** Sends a request as the administrator. */
  ask<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<T> {
    return this.#admin.request<T>(`${method} ${path}`, {
      method,
      path,
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(60_000),
    });
  }

  /** Creates a warm pool of that size, and a template for it; `spec` changes fields of its pods. */
  async pool(size: SandboxSize, replicas: number, spec: object = {}): Promise<void> {
    const name = warmPoolOf(WARM_POOLS, DIGEST, size);
    const named = { metadata: { name, namespace: this.name } };
    const apiVersion = 'extensions.agents.x-k8s.io/v1beta1';
    await this.ask('POST', `${extensionsOf(this.name)}/sandboxtemplates`, {
      apiVersion,
      kind: 'SandboxTemplate',
      ...named,
      spec: {
        networkPolicyManagement: 'Unmanaged',
        service: false,
        podTemplate: {
          metadata: { labels: { writ: 'test', 'writ.role': 'sandbox' } },
          spec: { ...specOf({ image: REFERENCE, size, refusedAt: [] }), ...spec },
        },
      },
    });
    await this.ask('POST', `${extensionsOf(this.name)}/sandboxwarmpools`, {
      apiVersion,
      kind: 'SandboxWarmPool',
      ...named,
      spec: { replicas, sandboxTemplateRef: { name } },
    });
  }

  get pods(): string {
    return `${CORE}/${this.name}/pods`;
  }

  async remove(): Promise<void> {
    await this.ask('DELETE', `${CORE}/${this.name}`).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
    });
    await new Promise((resolve) => this.#canary.close(resolve));
    this.#admin.close();
  }

  async #set(isClosed: boolean, claims: boolean): Promise<void> {
    const { name: namespace } = this;
    await this.ask('POST', CORE, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
    if (isClosed) {
      await this.ask('POST', `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`, {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'deny-all', namespace },
        spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
      });
    }
    const named = { metadata: { name: 'executor', namespace } };
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
    await this.ask('POST', `${CORE}/${namespace}/serviceaccounts`, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      ...named,
    });
    await this.ask('POST', `${rbac}/roles`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      ...named,
      rules: [...(claims ? CLAIMS : [MAKES]), ...RULES],
    });
    await this.ask('POST', `${rbac}/rolebindings`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      ...named,
      subjects: [{ kind: 'ServiceAccount', name: 'executor', namespace }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'executor' },
    });
    const {
      status: { token },
    } = await this.ask<{ status: { token: string } }>('POST', `${CORE}/${namespace}/serviceaccounts/executor/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 7_200 },
    });
    await this.#name(token);
    await new Promise<void>((resolve) => this.#canary.listen(0, '0.0.0.0', resolve));
    this.canary = { host: hostAddress(this.#admin.address.host), port: (this.#canary.address() as AddressInfo).port };
  }

  async #name(token: string): Promise<void> {
    const { url, options } = await this.#admin.webSocketTarget('');
    this.kubeconfig = join(mkdtempSync(join(tmpdir(), 'writ-cluster-')), 'config');
    writeFileSync(
      this.kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'test',
        contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
        users: [{ name: 'test', user: { token } }],
        clusters: [
          {
            name: 'test',
            cluster: {
              server: url.origin,
              'certificate-authority-data': Buffer.from(options.ca as Uint8Array).toString('base64'),
            },
          },
        ],
      }),
      { mode: 0o600 },
    );
  }
}

/**
 * This host's address in the cluster's network: of the interface that shares the longest prefix with the API server's
 * address.
 */
function hostAddress(server: string): string {
  const addresses = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ family }) => family === 'IPv4')
    .map(({ address }) => address);
  const shared = (address: string): number => [...address].findIndex((character, at) => character !== server[at]);
  return addresses.sort((a, b) => shared(b) - shared(a))[0] ?? '127.0.0.1';
}
