// SPDX-License-Identifier: Apache-2.0
// The values of the services' dependencies: keys, Postgres, NATS, sandboxes, the network.
import { Type } from 'typebox';
import {
  Amounts,
  Bytes,
  ConfigMapKey,
  Count,
  FileName,
  Flag,
  Ids,
  Image,
  KubeList,
  Labels,
  Name,
  Optional,
  Port,
  Resources,
  SandboxImage,
  Text,
  Values,
} from './types.ts';

const Names = Type.Array(Type.String({ minLength: 1 }));
const Persistence = Values({ storageClassName: Text, size: Bytes });

export const Keys = Values({
  create: Flag,
  existingSecrets: Values({
    kernel: Name,
    ledger: Name,
    executor: Name,
    orchestrator: Name,
    migrate: Name,
    platformKey: Name,
  }),
  existingPublicKeys: Name,
  masterKey: Values({
    current: FileName,
    before: Optional('^[A-Za-z0-9._-]{1,253}$'),
    next: Optional('^[A-Za-z0-9._-]{1,253}$'),
  }),
  rotation: Values({
    enabled: Flag,
    overlap: Type.String({ pattern: '^[1-9][0-9]{0,5}[smhd]$' }),
    schedules: Values({ permit: Text, record: Text, checkpoint: Text }),
  }),
});

export const Postgres = Values({
  bundled: Values({
    enabled: Flag,
    image: Image,
    securityContext: Ids,
    maxConnections: Count(20, 10_000),
    sharedBuffers: Type.String({ pattern: '^[0-9]+(kB|MB|GB)$' }),
    persistence: Persistence,
    resources: Resources,
  }),
  external: Values({
    host: Optional('^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$'),
    port: Port,
    database: Type.String({ pattern: '^[A-Za-z0-9_-]{1,63}$' }),
    sslmode: Type.Enum(['verify-full', 'disable']),
    ca: Values({ ...ConfigMapKey, public: Flag }),
    admin: Values({ user: Type.String({ pattern: '^[A-Za-z0-9_-]{1,63}$' }), existingSecret: Name, key: FileName }),
  }),
});

export const Nats = Values({
  bundled: Values({
    enabled: Flag,
    image: Image,
    securityContext: Ids,
    persistence: Persistence,
    resources: Resources,
  }),
  external: Values({
    url: Optional('^(nats|tls)://[^,\\s]+(,(nats|tls)://[^,\\s]+)*$'),
    insecure: Flag,
    ca: Values(ConfigMapKey),
  }),
});

/** Memory alone is the size of a call: a pod can't limit processes, and has one processor. */
const WarmPool = Type.Object(
  {
    memoryBytes: Count(64 * 1024 * 1024, 1024 ** 4),
    replicas: Count(0, 10_000),
    digest: Type.Optional(Type.String({ pattern: '^sha256:[0-9a-f]{64}$' })),
  },
  { additionalProperties: false },
);

export const Sandbox = Values({
  driver: Type.Enum(['kubernetes', 'docker']),
  image: SandboxImage,
  otherImages: Values(ConfigMapKey),
  runtimeClassName: Name,
  hostUsers: Type.Union([Flag, Type.Null()]),
  namespace: Values({ create: Flag, name: Name, shared: Flag }),
  rbac: Values({ create: Flag }),
  admissionPolicy: Values({
    enabled: Flag,
    images: Names,
    added: Values({
      labels: Names,
      annotations: Names,
      nodeSelector: Labels,
      tolerations: KubeList,
      priorityClassName: Name,
    }),
  }),
  canary: Values({ enabled: Flag, address: Optional('^.+:[0-9]+$') }),
  quota: Values({ enabled: Flag, pods: Count(1, 100_000), requests: Amounts, limits: Amounts }),
  limitRange: Values({ enabled: Flag, max: Amounts, default: Amounts, defaultRequest: Amounts }),
  agentSandbox: Values({
    enabled: Flag,
    controller: Values({ namespace: Name, serviceAccountName: Name }),
    pools: Type.Array(WarmPool),
  }),
  docker: Values({ host: Optional('^(unix|tcp|http|https)://'), runtime: Text }),
});

const Peers = Values({ to: KubeList });
const Cidr = Type.String({ pattern: '^[0-9a-f.:]+/[0-9]{1,3}$' });

export const NetworkPolicy = Values({
  enabled: Flag,
  dns: Values({ to: KubeList, ports: Type.Array(Port, { minItems: 1 }) }),
  api: Values({ from: KubeList }),
  monitoring: Values({ from: KubeList }),
  postgres: Peers,
  nats: Peers,
  otlp: Peers,
  apiServer: Values({ cidrs: Type.Array(Cidr), ports: Type.Array(Port, { minItems: 1 }) }),
  world: Values({
    enabled: Flag,
    ports: Type.Array(Port, { minItems: 1 }),
    cidrs: Type.Array(
      Type.Object({ cidr: Cidr, except: Type.Optional(Type.Array(Cidr)) }, { additionalProperties: false }),
    ),
  }),
  extraIngress: KubeList,
  extraEgress: KubeList,
});

const Duration = Type.String({ pattern: '^[0-9]+(ms|s|m|h)$' });
const Monitor = Values({ enabled: Flag, labels: Labels });

export const Metrics = Values({
  interval: Duration,
  scrapeTimeout: Duration,
  podMonitor: Monitor,
  serviceMonitor: Monitor,
  rules: Monitor,
  dashboards: Values({ enabled: Flag, labels: Labels, annotations: Labels }),
});
