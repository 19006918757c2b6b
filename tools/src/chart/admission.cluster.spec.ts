// SPDX-License-Identifier: Apache-2.0
// What whoever holds the executor's token may do, on a real API server: WRIT_CLUSTER_KUBECONFIG names an administrator's file.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chartTools, exampleFile, SMALL } from './chart.contract.ts';
import { findChartTools } from './chart-tools.ts';
import { renderText } from './render.ts';

const KUBECONFIG = process.env['WRIT_CLUSTER_KUBECONFIG'];
const isHere = KUBECONFIG !== undefined && findChartTools(process.env) !== null;
const name = isHere
  ? "rights of the executor's token"
  : "rights of the executor's token (skipped: no cluster; `npm run cluster` makes one, WRIT_CLUSTER_KUBECONFIG names its file)";

/** Another one beside it may run the same tests. */
const RELEASE_NAMESPACE = `writ-admission-${randomBytes(3).toString('hex')}`;
const SANDBOXES = `${RELEASE_NAMESPACE}-sandboxes`;
const IMAGE = 'writ-sandbox:0.1.0';

let folder: string;
let token: string;

interface Said {
  readonly status: number | null;
  readonly out: string;
}

function kubectl(args: readonly string[], input?: object | string): Said {
  const text = typeof input === 'object' ? JSON.stringify(input) : input;
  const { status, stdout, stderr } = spawnSync('kubectl', args, {
    encoding: 'utf8',
    input: text,
    env: { ...process.env, KUBECONFIG },
  });
  return { status, out: `${stdout}${stderr}` };
}

const must = (args: readonly string[], input?: object | string): string => {
  const { status, out } = kubectl(args, input);
  if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${out}`);
  return out;
};

/** As the executor, by its token alone. */
const asExecutor = (args: readonly string[], input?: object): Said =>
  kubectl(['--kubeconfig', join(folder, 'executor'), ...args], input);

/** A file of configuration with the cluster's address and authority, and nobody's rights but the token's. */
function writeExecutorConfig(): void {
  const whole = JSON.parse(must(['config', 'view', '--raw', '--minify', '-o', 'json'])) as {
    users: { name: string; user: object }[];
  };
  const users = whole.users.map((each) => ({ name: each.name, user: { token } }));
  writeFileSync(join(folder, 'executor'), JSON.stringify({ ...whole, users }), { mode: 0o600 });
}

type Shape = Readonly<Record<string, unknown>>;

const CONTAINER: Shape = {
  name: 'agent',
  image: IMAGE,
  resources: { limits: { cpu: '1', memory: '64Mi' } },
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true },
  volumeMounts: [{ name: 'work', mountPath: '/work' }],
};

/** What the driver makes, as far as the policy looks at it. */
const podWith = (over: Shape = {}, container: Shape = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'sandbox', namespace: SANDBOXES },
  spec: {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // Process 1 is the runtime's own, which reaps what a job leaves behind.
    shareProcessNamespace: true,
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['127.0.0.1'] },
    activeDeadlineSeconds: 86_400,
    restartPolicy: 'Never',
    securityContext: { runAsNonRoot: true, runAsUser: 10002, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [{ ...CONTAINER, ...container }],
    volumes: [{ name: 'work', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } }],
    ...over,
  },
});

const create = (pod: object, by: typeof kubectl = asExecutor as typeof kubectl): Said =>
  by(['create', '--dry-run=server', '-f', '-'], pod);

const inSecurity = (over: Shape): Shape => ({
  securityContext: { ...(CONTAINER['securityContext'] as Shape), ...over },
});

const NOT_A_SANDBOX: readonly (readonly [what: string, pod: object, words: RegExp])[] = [
  ['another image', podWith({}, { image: 'busybox:1' }), /runs an image of the list/],
  [
    'a second container of another image',
    podWith({ containers: [CONTAINER, { ...CONTAINER, name: 'b', image: 'x:1' }] }),
    /image of the list/,
  ],
  [
    'an init container of another image',
    podWith({ initContainers: [{ ...CONTAINER, name: 'b', image: 'x:1' }] }),
    /image of the list/,
  ],
  ['a token', podWith({ automountServiceAccountToken: true }), /no token of a service account/],
  ['a token by default', podWith({ automountServiceAccountToken: null }), /no token of a service account/],
  [
    'a Secret as a volume',
    podWith({ volumes: [{ name: 'work', secret: { secretName: 's' } }] }),
    /no volumes but emptyDir/,
  ],
  [
    'a token as a projected volume',
    podWith({ volumes: [{ name: 'work', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] }),
    /no volumes but emptyDir/,
  ],
  ['a path of the node', podWith({ volumes: [{ name: 'work', hostPath: { path: '/' } }] }), /emptyDir|restricted/],
  ["the node's network", podWith({ hostNetwork: true }), /shares no namespace of its node|restricted/],
  [
    'a Secret as a variable',
    podWith({}, { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }),
    /takes no variable from elsewhere/,
  ],
  [
    'a Secret as variables',
    podWith({}, { envFrom: [{ secretRef: { name: 's' } }] }),
    /takes no variable from elsewhere/,
  ],
  ['a pull secret', podWith({ imagePullSecrets: [{ name: 's' }] }), /names no Secret/],
  ['another runtime class', podWith({ runtimeClassName: 'strict' }), /runtime class of the release/],
  [
    'a privileged container',
    podWith({}, inSecurity({ privileged: true, allowPrivilegeEscalation: true })),
    /unprivileged|restricted/,
  ],
  [
    'a capability',
    podWith({}, inSecurity({ capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } })),
    /no capabilities/,
  ],
  ['root', podWith({}, inSecurity({ runAsUser: 0 })), /no capabilities|restricted/],
  [
    'another seccomp profile',
    podWith({ securityContext: { runAsNonRoot: true, seccompProfile: { type: 'Localhost', localhostProfile: 'p' } } }),
    /seccomp profile/,
  ],
  [
    'a probe that the kubelet runs',
    podWith({}, { livenessProbe: { exec: { command: ['true'] } } }),
    /the kubelet runs nothing/,
  ],
  [
    'a hook that the kubelet runs',
    podWith({}, { lifecycle: { postStart: { exec: { command: ['true'] } } } }),
    /the kubelet runs nothing/,
  ],
];

describe.skipIf(!isHere)(name, () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'writ-admission-'));
    must(['create', 'namespace', RELEASE_NAMESPACE]);
    const values = { fullnameOverride: RELEASE_NAMESPACE };
    const text = renderText({
      helm: chartTools().helm,
      files: [exampleFile(SMALL)],
      values,
      namespace: RELEASE_NAMESPACE,
      only: ['sandbox/namespace', 'sandbox/quota', 'sandbox/rbac', 'sandbox/admission', 'components/serviceaccounts'],
    });
    must(['apply', '-f', '-'], text);
    token = must(['create', 'token', `${RELEASE_NAMESPACE}-executor`, '--namespace', RELEASE_NAMESPACE]).trim();
    writeExecutorConfig();
  });
  afterAll(() => {
    const policies = ['pods', 'access'].map((each) => `${SANDBOXES}-${each}`);
    for (const kind of ['validatingadmissionpolicybinding', 'validatingadmissionpolicy'])
      must(['delete', kind, ...policies, '--ignore-not-found']);
    must(['delete', 'namespace', SANDBOXES, RELEASE_NAMESPACE, '--wait=false', '--ignore-not-found']);
    rmSync(folder, { recursive: true });
  });

  test('the policies are sound in the eyes of the API server', () => {
    for (const each of ['pods', 'access']) {
      const status = JSON.parse(
        must(['get', 'validatingadmissionpolicy', `${SANDBOXES}-${each}`, '-o', 'jsonpath={.status.typeChecking}']) ||
          '{}',
      ) as object;
      expect(status).toEqual({});
    }
  });

  test('it makes a sandbox', async () => {
    // The API server takes a moment to see new policies and roles.
    await vi.waitFor(() => expect(create(podWith())).toMatchObject({ status: 0 }), { timeout: 20_000, interval: 500 });
    await vi.waitFor(() => expect(create(podWith({}, { image: 'busybox:1' })).out).toMatch(/image of the list/), {
      timeout: 20_000,
      interval: 500,
    });
  });

  test.each(NOT_A_SANDBOX)('it makes no pod with %s', (_what, pod, words) => {
    const { status, out } = create(pod);
    expect(out).toMatch(words);
    expect(status).not.toBe(0);
  });

  test('nobody else makes a sandbox, not even an administrator', () => {
    expect(create(podWith(), kubectl).out).toMatch(/only the executor makes pods here/);
  });

  test('nobody puts a Secret beside sandboxes', () => {
    const args = [
      'create',
      'secret',
      'generic',
      's',
      '--namespace',
      SANDBOXES,
      '--from-literal=a=b',
      '--dry-run=server',
    ];
    expect(kubectl(args).out).toMatch(/no Secret lies beside it|exceeded quota/);
  });

  test('nobody enters a sandbox but the executor, by attach', () => {
    // Its image isn't there, so it never runs: who may enter is decided before that is found out.
    expect(asExecutor(['create', '-f', '-'], podWith())).toMatchObject({ status: 0 });
    const at = ['--namespace', SANDBOXES];
    const words = /only the executor reaches a sandbox, by attach/;
    expect(kubectl(['exec', ...at, 'sandbox', '--', 'true']).out).toMatch(words);
    expect(kubectl(['attach', ...at, 'sandbox']).out).toMatch(words);
    expect(kubectl(['port-forward', ...at, 'sandbox', '0:80']).out).not.toMatch(/Forwarding from/);
    expect(
      kubectl(['debug', ...at, 'sandbox', '--image', IMAGE, '--attach=false', '--profile=restricted']).out,
    ).toMatch(words);
    const attached = asExecutor(['attach', ...at, 'sandbox']);
    expect(attached.out).not.toMatch(words);
    expect(attached.out).not.toMatch(/forbidden/i);
  });

  test.each([
    ['read Secrets of the release', ['get', 'secrets', RELEASE_NAMESPACE]],
    ['read Secrets beside sandboxes', ['get', 'secrets', SANDBOXES]],
    ['make pods beside the services', ['create', 'pods', RELEASE_NAMESPACE]],
    ['execute in sandboxes', ['create', 'pods', SANDBOXES, 'exec']],
    ['add containers to sandboxes', ['update', 'pods', SANDBOXES, 'ephemeralcontainers']],
    ['change sandboxes', ['patch', 'pods', SANDBOXES]],
    ['make tokens', ['create', 'serviceaccounts', RELEASE_NAMESPACE, 'token']],
    ['give rights', ['create', 'rolebindings', SANDBOXES]],
    ['see nodes', ['list', 'nodes', SANDBOXES]],
    ['see namespaces', ['list', 'namespaces', SANDBOXES]],
  ] as const)('it may not %s', (_what, [verb, resource, namespace, subresource]) => {
    expect(mayExecutor(verb, resource, namespace, subresource)).toBe('no');
  });

  test.each([
    ['create', 'pods'],
    ['delete', 'pods'],
    ['watch', 'pods'],
    ['create', 'pods', 'attach'],
    ['get', 'pods', 'attach'],
    ['update', 'leases.coordination.k8s.io'],
  ])('it may %s %s %s where sandboxes are', (verb, resource, subresource?: string) => {
    expect(mayExecutor(verb, resource, SANDBOXES, subresource)).toBe('yes');
  });
});

/** `yes` or `no`. A subresource is an option: behind a slash kubectl takes it for a name. */
function mayExecutor(verb: string, resource: string, namespace: string, subresource?: string): string {
  const of = subresource === undefined ? [] : [`--subresource=${subresource}`];
  const { out } = asExecutor(['auth', 'can-i', verb, resource, '--namespace', namespace, ...of]);
  return /^(yes|no)\b/m.exec(out)?.[1] ?? out;
}
