// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { parsePrivateEndpoints } from '@writ/egress';
import { PublicKeyFile } from '@writ/nest-kit/keys';
import {
  COMMON_ENVIRONMENT,
  DatabaseUrl,
  named,
  OUTBOUND_ENVIRONMENT,
  outboundOf,
  ReadBy,
  readCommonFiles,
  readEnvironment,
  readImagesFile,
  readSecretFile,
  urlWithHost,
} from '@writ/nest-kit';
import { Type, type Static } from 'typebox';
import { readBuilds } from './images/build-settings.ts';
import { sandboxSettings } from './foundation/sandbox-settings.ts';

/** Reads the address of an engine: the path of a socket, or a URL with a host. @throws Error */
function dockerAddress(text: string): void {
  if (!text.startsWith('unix://')) urlWithHost(text.replace(/^tcp:/, 'http:'));
  else if (!text.startsWith('unix:///')) throw new Error(`\`${text}\` names no absolute path`);
}

const Slots = (fallback: number, unit: string, description: string) =>
  Type.Integer({ default: fallback, minimum: 0, maximum: 1_000, unit, description });

export const Environment = Type.Object({
  ...COMMON_ENVIRONMENT,
  ...OUTBOUND_ENVIRONMENT,
  WRIT_EXECUTOR_DATABASE_URL: DatabaseUrl('writ_executor'),
  WRIT_EXECUTOR_ID: Type.Optional(
    Type.String({
      pattern: '^exe_[0-7][0-9a-hjkmnp-tv-z]{25}$',
      description: 'the id of this executor; made at the start unless set',
    }),
  ),
  WRIT_PERMIT_PUBLIC_KEYS_FILE: Type.String({
    minLength: 1,
    description:
      'a JSON file `{"keys":[{"keyid","jwk"}]}` with the keys whose permits this executor accepts; the process reads it again when it changes',
  }),
  WRIT_SANDBOX_DRIVER: Type.Union([Type.Literal('docker'), Type.Literal('kubernetes')], {
    default: 'docker',
    description: 'what runs sandboxes: `docker`, containers of a Docker engine, or `kubernetes`, pods of a cluster',
  }),
  WRIT_SANDBOX_NAMESPACE: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
      description: "driver `kubernetes`: the namespace of the sandboxes' pods; nothing else may live there",
    }),
  ),
  WRIT_SANDBOX_IMAGE: Type.Optional(
    Type.String({
      pattern: '^[^ ]{1,512}$',
      description:
        'driver `kubernetes`: the reference by which nodes pull the image of WRIT_SANDBOX_IMAGE_DIGEST, with its digest or a tag that never moves; other images come from the same repository',
    }),
  ),
  WRIT_SANDBOX_RUNTIME_CLASS: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$',
      description:
        "driver `kubernetes`: the RuntimeClass of the sandboxes' pods, of gVisor or Kata for example; the cluster's own unless set",
    }),
  ),
  WRIT_SANDBOX_HOST_USERS: Type.Optional(
    Type.Boolean({
      description:
        'driver `kubernetes`: `false` gives each pod a user namespace, `true` the users of its node; the cluster decides unless set',
    }),
  ),
  WRIT_SANDBOX_CLAIMS: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$',
      description:
        'driver `kubernetes`: the executor claims pods from kubernetes-sigs/agent-sandbox, and this is the prefix of its SandboxWarmPools; the executor makes pods itself unless set',
    }),
  ),
  WRIT_SANDBOX_CANARY: Type.Optional(
    Type.String({
      pattern: '^.{1,255}:[0-9]{1,5}$',
      description:
        'driver `kubernetes`: `host:port` that answers this executor and must refuse a pod before a call runs in it',
    }),
  ),
  WRIT_KUBECONFIG_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      secret: true,
      description: "driver `kubernetes`: a kubeconfig file; the service account of the executor's own pod unless set",
    }),
  ),
  WRIT_SANDBOX_IMAGE_DIGEST: Type.String({
    pattern: '^sha256:[0-9a-f]{64}$',
    description: 'the id of the image that commands run in',
  }),
  WRIT_SANDBOX_IMAGES_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "a JSON file with the images of those tenants and tools that have others; the same file as the kernel's",
    }),
  ),
  WRIT_IMAGE_BUILDS_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'driver `docker`: a JSON file with the package registries that recipes of images are built from; no recipe is built unless set',
    }),
  ),
  WRIT_IMAGE_BYTES: Type.Integer({
    default: 8_589_934_592,
    minimum: 1_048_576,
    unit: 'bytes',
    description: "bytes that a tenant's image may have with all its layers",
  }),
  WRIT_IMAGE_MS: Type.Integer({
    default: 900_000,
    minimum: 1_000,
    maximum: 7_200_000,
    unit: 'milliseconds',
    description: "milliseconds within which a tenant's image must be fetched or built",
  }),
  WRIT_SANDBOX_RUNTIME: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "driver `docker`: the engine's runtime for sandboxes, `runsc` for example; the engine's own unless set",
    }),
  ),
  WRIT_SANDBOX_LABEL: Type.String({
    default: 'writ',
    pattern: '^[A-Za-z0-9._-]{1,64}$',
    description: 'the value of the label `writ` on every container',
  }),
  DOCKER_HOST: ReadBy(
    Type.String({
      default: 'unix:///var/run/docker.sock',
      pattern: '^(unix|tcp|http|https)://',
      description: 'driver `docker`: the address of the engine, `unix:///path` or `tcp://host:port`',
    }),
    dockerAddress,
  ),
  WRIT_CACHE_DIR: Type.String({
    minLength: 1,
    description: 'a folder for copies of contents; you may delete it at any time',
  }),
  WRIT_CACHE_BYTES: Type.Integer({
    default: 1_073_741_824,
    minimum: 0,
    unit: 'bytes',
    description: 'bytes that the cache may take; 0 keeps none',
  }),
  WRIT_SLOTS_INLINE: Slots(8, 'calls', 'concurrent file operations'),
  WRIT_SLOTS_SANDBOXED: Slots(2, 'calls', 'concurrent commands'),
  WRIT_SLOTS_BROKER: Slots(8, 'calls', 'concurrent requests of tools that reach hosts outside'),
  WRIT_EMBEDDING_MODEL_DIR: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'the folder with the model of embeddings for information stores (`npm run embedding-model`); without it, or its files, such stores are searched by words alone',
    }),
  ),
  WRIT_RESOURCE_HOSTS: ReadBy(
    Type.String({
      default: '',
      pattern: '^([a-z0-9.:-]+(,[a-z0-9.:-]+)*)?$',
      description:
        'hosts of registered resources, separated by commas, whose addresses may be private; only calls on such resources reach them there; `host` is its ports 80 and 443, and `host:port` is another one',
    }),
    parsePrivateEndpoints,
  ),
  WRIT_SPEECH_MODEL_DIR: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'a folder with the model of speech, which `npm run speech-model` makes; that of the image unless set. Without one, calls transcribe with registered models alone',
    }),
  ),
  WRIT_SPEECH_ENGINES: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: 64,
    unit: 'processes',
    description: 'recordings that are transcribed at once; each takes a processor and 700 MB while it runs',
  }),
  WRIT_SESSIONS: Slots(
    8,
    'containers',
    'concurrent shells of sessions, and as many processes of MCP servers that are programs beside them; 0 runs neither',
  ),
  WRIT_PROGRAM_BYTES: Type.Integer({
    default: 8_589_934_592,
    minimum: 67_108_864,
    unit: 'bytes',
    description: 'bytes of memory that all processes of MCP servers that are programs may have together',
  }),
  WRIT_SESSION_IDLE_MS: Type.Integer({
    default: 600_000,
    minimum: 1_000,
    unit: 'milliseconds',
    description: 'milliseconds without a call after which the shell of a session ends',
  }),
  WRIT_OUTPUT_HEARD_BYTES: Type.Integer({
    default: 16_777_216,
    minimum: 0,
    maximum: LIMITS.keptOutputBytes.max,
    unit: 'bytes',
    description: "bytes of a command's full output that are kept where its result is cut; 0 keeps none",
  }),
  WRIT_DRAIN_MS: Type.Integer({
    default: 5_000,
    minimum: 0,
    maximum: LIMITS.commandMs.max,
    unit: 'milliseconds',
    description:
      'milliseconds after SIGTERM for which running calls may end by themselves; other executors get the rest',
  }),
  WRIT_POOL_SIZE: Slots(8, 'containers', 'containers in the warm pool'),
  WRIT_POOL_PREPOPULATED: Slots(
    2,
    'containers',
    'containers of the warm pool that hold the files of the workspaces used last',
  ),
});
export type ExecutorConfig = Readonly<Static<typeof Environment>> & {
  /** absent where NATS has no users */
  readonly natsPassword: string | undefined;
};

/** Reads the environment, once. Throws EnvironmentError that names what is missing or wrong. */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): ExecutorConfig {
  const read = readEnvironment(Environment, env);
  const config = Object.freeze({ ...read, natsPassword: readCommonFiles(read) });
  // Contradictions between variables, and faults of files that the module opens, are found before anything is opened.
  const settings = sandboxSettings(config);
  if (settings.driver === 'kubernetes' && settings.kubeconfig !== undefined) {
    const { kubeconfig } = settings;
    named('WRIT_KUBECONFIG_FILE', () => readSecretFile('WRIT_KUBECONFIG_FILE', kubeconfig));
  }
  named('WRIT_OUTBOUND_DNS', () => outboundOf(read));
  named('WRIT_SANDBOX_IMAGES_FILE', () => readImagesFile('WRIT_SANDBOX_IMAGES_FILE', read.WRIT_SANDBOX_IMAGES_FILE));
  named('WRIT_IMAGE_BUILDS_FILE', () => readBuilds('WRIT_IMAGE_BUILDS_FILE', read.WRIT_IMAGE_BUILDS_FILE));
  named('WRIT_PERMIT_PUBLIC_KEYS_FILE', () => new PublicKeyFile(read.WRIT_PERMIT_PUBLIC_KEYS_FILE));
  return config;
}
