// SPDX-License-Identifier: Apache-2.0
import { chartTools, describeChart, exampleFile, PRODUCTION, renderSmall } from './chart.contract.ts';
import { renderText, type Values } from './render.ts';

const NO_POSTGRES = { postgres: { bundled: { enabled: false } } };
const NO_NATS = { nats: { bundled: { enabled: false } } };

const GIB_POOL = { memoryBytes: 1_073_741_824, replicas: 1 };

/** Values that override the smallest example's, and the message that refuses them. */
const REFUSED: readonly (readonly [what: string, values: Values, sentence: RegExp])[] = [
  [
    'an image without a version',
    { image: { tag: 'latest' } },
    /`image\.tag` is `latest`.*set the version to run, or `image\.digest`/,
  ],
  ['a sandbox image without a version', { sandbox: { image: { tag: 'latest' } } }, /`sandbox\.image\.tag` is `latest`/],
  [
    'a sandbox image without a digest',
    { sandbox: { image: { id: '' } } },
    /which sandbox image calls run in: set `sandbox\.image\.digest`/,
  ],
  [
    'a registry in a repository',
    { image: { repository: 'registry.example.com/writ/writ' } },
    /`image\.repository` is `registry\.example\.com\/writ\/writ`, which begins with a registry: set `image\.registry` to `registry\.example\.com` and `image\.repository` to `writ\/writ`/,
  ],
  [
    'a registry with a port in the repository of sandboxes, also beside a mirror',
    { imageRegistry: 'mirror.internal', sandbox: { image: { repository: 'registry.internal:5000/writ-sandbox' } } },
    /set `sandbox\.image\.registry` to `registry\.internal:5000` and `sandbox\.image\.repository` to `writ-sandbox`/,
  ],
  [
    'a registry in the repository of a bundled part',
    { postgres: { bundled: { image: { repository: 'localhost/library/postgres' } } } },
    /set `postgres\.bundled\.image\.registry` to `localhost`/,
  ],
  [
    'a version in a repository',
    { image: { repository: 'writ/writ:0.1.0' } },
    /`image\.repository` is `writ\/writ:0\.1\.0`, which is no repository: .*set the version in `image\.tag` or `image\.digest`/,
  ],
  [
    'a registry with a scheme',
    { imageRegistry: 'https://mirror.internal' },
    /`imageRegistry` is `https:\/\/mirror\.internal`, which is no registry: write a host without scheme/,
  ],
  [
    'an invalid quantity',
    { kernel: { resources: { requests: { cpu: 'lots' } } } },
    /`kernel\.resources\.requests\.cpu` is `lots`, which is no quantity: write `500m` or `2`/,
  ],
  [
    'an invalid quantity of a bundled part',
    { nats: { bundled: { resources: { limits: { memory: '1 GB' } } } } },
    /`nats\.bundled\.resources\.limits\.memory` is `1 GB`, which is no quantity/,
  ],
  [
    'an invalid quantity of sandboxes',
    { sandbox: { quota: { requests: { memory: '64GB' } } } },
    /`sandbox\.quota\.requests\.memory` is `64GB`, which is no quantity/,
  ],
  ['no ledger', { ledger: { replicas: 0 } }, /no ledger would run, .*: set `ledger\.replicas` to 1 or more/],
  [
    'a ledger that KEDA may scale to zero',
    { ledger: { keda: { enabled: true, serverAddress: 'http://p', query: 'q', minReplicas: 0 } } },
    /no ledger would run, .*: set `ledger\.keda\.minReplicas` to 1 or more/,
  ],
  [
    'limits that are missing',
    { kernel: { resources: { limits: { memory: null } } } },
    /`kernel\.resources\.limits\.memory` is missing: set how much a pod may use at most/,
  ],
  [
    'limits of a Job that are missing',
    { jobs: { resources: { limits: null } } },
    /`jobs\.resources\.limits\.cpu` is missing/,
  ],
  [
    'no Postgres',
    NO_POSTGRES,
    /there is no Postgres: set `postgres\.external\.host`, or for a trial `postgres\.bundled\.enabled` to true/,
  ],
  [
    'two Postgres',
    { postgres: { external: { host: 'db' } } },
    /Postgres is both bundled and external: set `postgres\.bundled\.enabled` to false/,
  ],
  [
    'migrations without a role',
    { postgres: { bundled: { enabled: false }, external: { host: 'db', ca: { public: true } } } },
    /name the Secret with its password in `postgres\.external\.admin\.existingSecret`/,
  ],
  [
    'a Postgres without a CA',
    { postgres: { bundled: { enabled: false }, external: { host: 'db', admin: { existingSecret: 's' } } } },
    /name a ConfigMap with its CA in `postgres\.external\.ca\.configMap`/,
  ],
  [
    'a rotation of keys that come from elsewhere',
    { keys: { existingSecrets: { kernel: 'mine' }, rotation: { enabled: true } } },
    /`keys\.rotation\.enabled` changes the Secrets that the chart's Job made/,
  ],
  ['a rotation with an invalid overlap', { keys: { rotation: { overlap: 'soon' } } }, /overlap/],
  [
    'a rotation with an overlap shorter than pods need to read a key',
    { keys: { rotation: { overlap: '1m' } } },
    /`keys\.rotation\.overlap` is `1m`, .*: set two minutes or more/,
  ],
  ['no NATS', NO_NATS, /there is no NATS: set `nats\.external\.url`/],
  ['two NATS', { nats: { external: { url: 'tls://n:4222' } } }, /NATS is both bundled and external/],
  [
    "a NATS that doesn't encrypt",
    { nats: { bundled: { enabled: false }, external: { url: 'tls://a:4222,nats://b:4222' } } },
    /`nats\.external\.url` has `nats:\/\/b:4222`, which isn't encrypted: write `tls:\/\/`/,
  ],
  [
    'no source of keys',
    { keys: { create: false } },
    /there is no source of keys for `executor`: set `keys\.create` to true, or name a Secret of yours in `keys\.existingSecrets\.executor`/,
  ],
  [
    'bundled parts without the Job that makes their certificates',
    {
      keys: {
        create: false,
        existingSecrets: { kernel: 'a', ledger: 'a', executor: 'a', orchestrator: 'a', migrate: 'a', platformKey: 'a' },
        existingPublicKeys: 'p',
      },
    },
    /the bundled Postgres and NATS take their certificates.*set `keys\.create` to true/,
  ],
  [
    'sandboxes in a namespace of the cluster itself',
    { sandbox: { namespace: { name: 'kube-system' } } },
    /`sandbox\.namespace\.name` is `kube-system`, where others work/,
  ],
  [
    'sandboxes in a namespace whose name is too long',
    { sandbox: { namespace: { name: 'a'.repeat(64) } } },
    /has 64 characters of at most 63: name a shorter one/,
  ],
  [
    'sandboxes without a namespace',
    { sandbox: { namespace: { create: false } } },
    /sandboxes have no namespace: set `sandbox\.namespace\.create` to true, or name one that is there/,
  ],
  [
    'sandboxes beside the keys',
    { sandbox: { namespace: { name: 'writ' } } },
    /is the namespace of the release, where the keys lie: name another one, or set `sandbox\.namespace\.shared`/,
  ],
  [
    'an admission policy for a shared namespace',
    { sandbox: { namespace: { name: 'writ', shared: true } } },
    /set `sandbox\.namespace\.create` and `sandbox\.admissionPolicy\.enabled` to false/,
  ],
  [
    'the driver `docker` without an engine',
    { sandbox: { driver: 'docker' } },
    /the driver `docker` needs an engine: set `sandbox\.docker\.host`/,
  ],
  [
    'an engine for the driver `kubernetes`',
    { sandbox: { docker: { host: 'tcp://e:1' } } },
    /`sandbox\.docker\.host` is for the driver `docker`/,
  ],
  [
    'claims for the driver `docker`',
    { sandbox: { driver: 'docker', docker: { host: 'tcp://e:1' }, agentSandbox: { enabled: true } } },
    /`sandbox\.agentSandbox\.enabled` is for the driver `kubernetes`/,
  ],
  [
    'claims without a pool',
    { sandbox: { agentSandbox: { enabled: true, pools: [] } } },
    /there is no pool to claim them from: list one in `sandbox\.agentSandbox\.pools`/,
  ],
  [
    'claims without a controller',
    { sandbox: { agentSandbox: { enabled: true, controller: { namespace: '' } } } },
    /name the service account of agent-sandbox's controller in `sandbox\.agentSandbox\.controller\.namespace`/,
  ],
  [
    'two pools of one image and size',
    { sandbox: { agentSandbox: { enabled: true, pools: [GIB_POOL, { ...GIB_POOL, replicas: 2 }] } } },
    /two of `sandbox\.agentSandbox\.pools` have the same image and 1073741824 bytes of memory/,
  ],
  [
    'a pool of an image that the admission policy refuses',
    { sandbox: { agentSandbox: { enabled: true, pools: [{ ...GIB_POOL, digest: `sha256:${'2'.repeat(64)}` }] } } },
    /add `writ-sandbox@sha256:2{64}` to `sandbox\.admissionPolicy\.images`/,
  ],
  [
    'a ledger without a volume',
    { ledger: { persistence: { enabled: false } } },
    /the ledger has no volume.*set `ledger\.persistence\.enabled` to true/,
  ],
  ['a ledger whose volume has no size', { ledger: { persistence: { size: '' } } }, /`ledger\.persistence\.size`/],
  [
    'two autoscalers',
    { kernel: { autoscaling: { enabled: true }, keda: { enabled: true } } },
    /`kernel` has two autoscalers/,
  ],
  [
    'KEDA without a query',
    { kernel: { keda: { enabled: true, serverAddress: 'http://p' } } },
    /KEDA needs a question: .*`kernel\.keda\.query`/,
  ],
  [
    'no service account',
    { ledger: { serviceAccount: { create: false } } },
    /`ledger` has no service account: set `ledger\.serviceAccount\.create` to true/,
  ],
  [
    'an Ingress without TLS',
    { ingress: { enabled: true, hosts: ['h'] } },
    /would take API keys unencrypted: name a Secret of type kubernetes\.io\/tls/,
  ],
  [
    'an Ingress without a host',
    { ingress: { enabled: true, tlsSecretName: 's' } },
    /the Ingress names no host: set `ingress\.hosts`/,
  ],
  [
    'an HTTPRoute without a Gateway',
    { httpRoute: { enabled: true, hostnames: ['h'] } },
    /the HTTPRoute has no Gateway or no host/,
  ],
  [
    'two monitors',
    { metrics: { podMonitor: { enabled: true }, serviceMonitor: { enabled: true } } },
    /every pod would be scraped twice/,
  ],
];

/** Values that the schema refuses, with the path that helm names. */
const NOT_KNOWN: readonly (readonly [what: string, values: Values, words: RegExp])[] = [
  ['a misspelt name', { kernal: { replicas: 3 } }, /'kernal' not allowed|kernal/],
  ['a misspelt name further down', { kernel: { replcias: 3 } }, /kernel.*replcias|replcias/s],
  ["a variable that the process doesn't read", { kernel: { settings: { WRIT_PLACE: 3 } } }, /WRIT_PLACE/],
  ['a variable that the chart sets itself', { kernel: { settings: { WRIT_NATS_URL: 'tls://x' } } }, /WRIT_NATS_URL/],
  ['a variable outside of its range', { kernel: { settings: { WRIT_PLACES: 0 } } }, /WRIT_PLACES/],
  ['a text for a number', { ledger: { replicas: 'three' } }, /ledger.*replicas/s],
  ["a driver that doesn't exist", { sandbox: { driver: 'podman' } }, /sandbox.*driver/s],
  ['a pool without a size', { sandbox: { agentSandbox: { pools: [{ replicas: 1 }] } } }, /agentSandbox.*memoryBytes/s],
  ['an invalid digest', { image: { digest: 'sha256:12' } }, /image.*digest/s],
];

const refusal = (values: Values): string => {
  try {
    renderSmall(values);
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing refused it';
};

describeChart("values that can't work", () => {
  test.each(REFUSED)('%s: refused with a message that names the value to set', (_what, values, sentence) => {
    expect(refusal(values)).toMatch(sentence);
  });

  test.each(NOT_KNOWN)('%s: refused by the schema, by name', (_what, values, words) => {
    const output = refusal(values);
    expect(output).toContain("values don't meet the specifications of the schema");
    expect(output).toMatch(words);
  });

  test('values for claims are accepted without claims', () => {
    expect(renderSmall({ sandbox: { agentSandbox: { enabled: false, pools: [] } } })).not.toHaveLength(0);
  });

  test('a refused example with the named value corrected is rendered', () => {
    expect(
      renderSmall({ kernel: { keda: { enabled: true, serverAddress: 'http://p', query: 'q' } } }),
    ).not.toHaveLength(0);
    expect(renderSmall({ ingress: { enabled: true, hosts: ['h'], tlsSecretName: 's' } })).not.toHaveLength(0);
    expect(
      renderSmall({
        sandbox: { namespace: { name: 'writ', create: false, shared: true }, admissionPolicy: { enabled: false } },
      }),
    ).not.toHaveLength(0);
  });

  test("a digest of the sandbox image takes precedence over an example's id", () => {
    const digest = `sha256:${'1'.repeat(64)}`;
    const text = JSON.stringify(renderSmall({ sandbox: { image: { registry: 'registry.internal:5000', digest } } }));
    expect(text).toContain(`{"name":"WRIT_SANDBOX_IMAGE_DIGEST","value":"${digest}"}`);
    expect(text).toContain(`{"name":"WRIT_SANDBOX_IMAGE","value":"registry.internal:5000/writ-sandbox@${digest}"}`);
  });

  test("quantities in Kubernetes' formats are rendered", () => {
    for (const cpu of ['500m', '2', '0.5', 2, 1.5])
      expect(renderSmall({ kernel: { resources: { requests: { cpu } } } })).not.toHaveLength(0);
    for (const memory of ['1Gi', '512M', '1e9', 1_073_741_824])
      expect(renderSmall({ kernel: { resources: { requests: { memory } } } })).not.toHaveLength(0);
  });

  test("the chart's values alone are refused: they name no Postgres", () => {
    expect(() => renderText({ helm: chartTools().helm })).toThrow('there is no Postgres');
    expect(() => renderText({ helm: chartTools().helm, files: [exampleFile(PRODUCTION)] })).not.toThrow();
  });
});
