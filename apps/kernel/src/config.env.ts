// SPDX-License-Identifier: Apache-2.0
import { GRACE_MS_MIN } from '@writ/blobs';
import type { SandboxImages } from '@writ/contract';
import type { KeyStore } from '@writ/signing';
import {
  COMMON_ENVIRONMENT,
  DatabaseUrl,
  keyStoreOf,
  named,
  ReadBy,
  readCommonFiles,
  readEnvironment,
  readImagesFile,
  readKey,
  readKeyFile,
} from '@writ/nest-kit';
import { AllowedSources } from '@writ/sandbox/images';
import { PublicRingFile } from '@writ/nest-kit/keys';
import { type MasterKeys } from '@writ/sealing';
import { Type, type Static } from 'typebox';

const File = (what: string) => Type.String({ minLength: 1, description: `a file with ${what}` });
const SecretFile = (what: string) => Type.String({ minLength: 1, secret: true, description: `a file with ${what}` });

export const Environment = Type.Object({
  ...COMMON_ENVIRONMENT,
  WRIT_KERNEL_DATABASE_URL: DatabaseUrl('writ_kernel'),
  WRIT_KERNEL_WORKER_DATABASE_URL: DatabaseUrl('writ_kernel_worker'),
  WRIT_PERMIT_KEY_FILE: Type.Optional(
    SecretFile(
      'the keys of permits: a ring as `writ signing-keys` writes it, or one key as PKCS #8 PEM; the process reads it again when it changes',
    ),
  ),
  WRIT_PERMIT_KEY: Type.Optional(
    Type.String({
      minLength: 1,
      secret: true,
      description: 'the keys of permits in the variable itself; set it or `WRIT_PERMIT_KEY_FILE`',
    }),
  ),
  WRIT_RECORD_KEY_FILE: Type.Optional(
    SecretFile(
      'the keys of records: a ring as `writ signing-keys` writes it, or one key as PKCS #8 PEM; the process reads it again when it changes',
    ),
  ),
  WRIT_RECORD_KEY: Type.Optional(
    Type.String({
      minLength: 1,
      secret: true,
      description: 'the keys of records in the variable itself; set it or `WRIT_RECORD_KEY_FILE`',
    }),
  ),
  WRIT_KEY_WRAP_FILE: Type.Optional(
    File(
      'the device that wraps the keys in the two files: `{"pkcs11":{"module","token","key_id","pin_file"}}`; they are not wrapped unless set',
    ),
  ),
  WRIT_CHECKPOINT_PUBLIC_KEYS_FILE: Type.Optional(
    File(
      "the public ring of the ledger's checkpoint keys, as `writ signing-keys` publishes it; the kernel records each change of it; the process reads it again when it changes",
    ),
  ),
  WRIT_MASTER_KEY_FILE: Type.Optional(
    SecretFile('the master key that wraps the keys of tenants, 32 bytes in base64; set it or `WRIT_MASTER_KEY`'),
  ),
  WRIT_MASTER_KEY: Type.Optional(
    Type.String({
      minLength: 1,
      secret: true,
      description: 'the master key in the variable itself; set it or `WRIT_MASTER_KEY_FILE`',
    }),
  ),
  WRIT_MASTER_KEY_BEFORE_FILE: Type.Optional(
    SecretFile('the master key before this one: the kernel wraps the keys under it again'),
  ),
  WRIT_MASTER_KEY_NEXT_FILE: Type.Optional(
    SecretFile('the master key after this one: the kernel opens with it and wraps nothing with it'),
  ),
  WRIT_SANDBOX_IMAGE_DIGEST: Type.String({
    pattern: '^sha256:[0-9a-f]{64}$',
    description: 'the id of the sandbox image, to which permits bind a call: `sha256:` and 64 hexadecimal digits',
  }),
  WRIT_SANDBOX_IMAGES_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "a JSON file with the images of those tenants and tools that have others; the same file as the executors'",
    }),
  ),
  WRIT_IMAGE_SOURCES: ReadBy(
    Type.String({
      default: '',
      description:
        "where images of tenants may come from, separated by commas: registries or repositories, and `engine` for images that the executors' engines have; a recipe on the sandbox image is always allowed",
    }),
    (text) => void AllowedSources.parse(text),
  ),
  WRIT_STREAM_REPLICAS: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: 5,
    unit: 'servers',
    description: 'servers of a NATS cluster that hold the stream of waiting work; 3 in a cluster of three',
  }),
  WRIT_LEASE_MS: Type.Integer({
    default: 15_000,
    minimum: 100,
    maximum: 600_000,
    unit: 'milliseconds',
    description: 'milliseconds for which an attempt lives without a renewal',
  }),
  WRIT_PERMIT_TTL_MS: Type.Integer({
    default: 30_000,
    minimum: 100,
    maximum: 600_000,
    unit: 'milliseconds',
    description: 'milliseconds within which an executor must redeem a permit',
  }),
  WRIT_SWEEP_MS: Type.Integer({
    default: 2_000,
    minimum: 50,
    maximum: 60_000,
    unit: 'milliseconds',
    description: 'milliseconds between two sweeps for expired permits, leases and deadlines',
  }),
  WRIT_COLLECT_MS: Type.Integer({
    default: 86_400_000,
    minimum: 1_000,
    maximum: 2_592_000_000,
    unit: 'milliseconds',
    description: "milliseconds between two garbage collections of a tenant's contents",
  }),
  WRIT_COLLECT_GRACE_MS: Type.Integer({
    default: 86_400_000,
    minimum: GRACE_MS_MIN,
    maximum: 2_592_000_000,
    unit: 'milliseconds',
    description: 'milliseconds without a read or write before garbage collection removes an unreachable content',
  }),
  WRIT_OUTPUT_KEPT_MS: Type.Integer({
    default: 604_800_000,
    minimum: 1_000,
    maximum: 31_622_400_000,
    unit: 'milliseconds',
    description: 'milliseconds for which the full output of a command is kept where its result is cut',
  }),
  WRIT_RETENTION_MS: Type.Integer({
    default: 3_600_000,
    minimum: 100,
    maximum: 86_400_000,
    unit: 'milliseconds',
    description: "milliseconds between two removals of those calls that are older than their tenant's retention",
  }),
  WRIT_PLACES: Type.Integer({
    default: 32,
    minimum: 1,
    maximum: 10_000,
    unit: 'calls',
    description: 'maximum concurrent calls that this replica decides or waits for; one tenant alone may use them all',
  }),
  WRIT_PLACES_SHARED: Type.Integer({
    default: 4,
    minimum: 1,
    maximum: 10_000,
    unit: 'calls',
    description:
      'of those calls, how many tenants share by weight while several have calls; each tenant has one at least',
  }),
});

export type KernelConfig = Readonly<Static<typeof Environment>> & {
  readonly permitKeys: KeyStore;
  readonly recordKeys: KeyStore;
  /** null: not configured, and none of their changes is recorded */
  readonly checkpointKeys: PublicRingFile | null;
  readonly masterKeys: MasterKeys;
  readonly sandboxImages: SandboxImages;
  readonly allowedImages: AllowedSources;
  /** null where NATS has no users */
  readonly natsPassword: string | null;
};

/**
 * The only reader of the environment. Throws EnvironmentError where a variable or a file is invalid, naming it and
 * never its content.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): KernelConfig {
  const read = readEnvironment(Environment, env);
  return Object.freeze({
    ...read,
    permitKeys: named('WRIT_PERMIT_KEY', () =>
      keyStoreOf('WRIT_PERMIT_KEY', {
        file: read.WRIT_PERMIT_KEY_FILE,
        text: read.WRIT_PERMIT_KEY,
        wrap: read.WRIT_KEY_WRAP_FILE,
      }),
    ),
    recordKeys: named('WRIT_RECORD_KEY', () =>
      keyStoreOf('WRIT_RECORD_KEY', {
        file: read.WRIT_RECORD_KEY_FILE,
        text: read.WRIT_RECORD_KEY,
        wrap: read.WRIT_KEY_WRAP_FILE,
      }),
    ),
    checkpointKeys: named('WRIT_CHECKPOINT_PUBLIC_KEYS_FILE', () =>
      publicRingOf(read.WRIT_CHECKPOINT_PUBLIC_KEYS_FILE),
    ),
    masterKeys: named('WRIT_MASTER_KEY', () => masterKeysOf(read)),
    sandboxImages: named('WRIT_SANDBOX_IMAGES_FILE', () =>
      readImagesFile('WRIT_SANDBOX_IMAGES_FILE', read.WRIT_SANDBOX_IMAGES_FILE),
    ),
    allowedImages: AllowedSources.parse(read.WRIT_IMAGE_SOURCES),
    natsPassword: readCommonFiles(read) ?? null,
  });
}

const publicRingOf = (path: string | undefined): PublicRingFile | null =>
  path === undefined ? null : new PublicRingFile(path);

function masterKeysOf(read: Static<typeof Environment>): MasterKeys {
  const { WRIT_MASTER_KEY: text, WRIT_MASTER_KEY_FILE: file } = read;
  const other = (variable: 'WRIT_MASTER_KEY_BEFORE_FILE' | 'WRIT_MASTER_KEY_NEXT_FILE'): Buffer | null => {
    const path = read[variable];
    return path === undefined ? null : readKeyFile(variable, path);
  };
  if ((text === undefined) === (file === undefined))
    throw new Error('the master key comes by `WRIT_MASTER_KEY_FILE` or by `WRIT_MASTER_KEY`: set one of them');
  const current =
    text === undefined ? readKeyFile('WRIT_MASTER_KEY_FILE', file ?? '') : readKey('WRIT_MASTER_KEY', text);
  return { current, before: other('WRIT_MASTER_KEY_BEFORE_FILE'), next: other('WRIT_MASTER_KEY_NEXT_FILE') };
}
