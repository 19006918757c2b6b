// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { parseMessage } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import { PublicKeyFile } from '@writ/nest-kit/keys';
import {
  COMMON_ENVIRONMENT,
  DatabaseUrl,
  EnvironmentError,
  keyStoreOf,
  named,
  OUTBOUND_ENVIRONMENT,
  outboundOf,
  readCommonFiles,
  readEnvironment,
} from '@writ/nest-kit';
import { parseNoteKey, type KeyStore } from '@writ/signing';
import { Type, type Static } from 'typebox';
import { readWitnesses, type WitnessAddress } from './foundation/witnesses-file.ts';

export const Environment = Type.Object({
  ...COMMON_ENVIRONMENT,
  ...OUTBOUND_ENVIRONMENT,
  WRIT_LEDGER_DATABASE_URL: DatabaseUrl('writ_ledger'),
  WRIT_CHECKPOINT_KEY_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      secret: true,
      description:
        'a file with the keys that sign checkpoints: a ring as `writ signing-keys` writes it, or one key as PKCS #8 PEM; the process reads it again when it changes',
    }),
  ),
  WRIT_CHECKPOINT_KEY: Type.Optional(
    Type.String({
      minLength: 1,
      secret: true,
      description: 'the keys that sign checkpoints in the variable itself; set it or `WRIT_CHECKPOINT_KEY_FILE`',
    }),
  ),
  WRIT_KEY_WRAP_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'a JSON file that names the device which wraps the keys in that file, as for the kernel; they are not wrapped unless set',
    }),
  ),
  WRIT_RECORD_PUBLIC_KEYS_FILE: Type.String({
    minLength: 1,
    description:
      'a JSON file `{"keys":[{"keyid","jwk"}]}` with the keys whose records the ledger accepts; the process reads it again when it changes',
  }),
  WRIT_LOG_PUBLIC_KEYS_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'the published verifier keys of logs, JSON `{"keys":["name+hash+base64"]}`; the ledger doesn\'t start where they have another name than WRIT_DEPLOYMENT',
    }),
  ),
  WRIT_LEDGER_MEMORY_FILE: Type.String({
    minLength: 1,
    description: 'a file outside of the database where this replica remembers what it signed; keep it out of backups',
  }),
  WRIT_WITNESSES_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'a JSON file `{"witnesses":[{"url","key"}]}` with the witnesses that cosign checkpoints',
    }),
  ),
  WRIT_WITNESS_QUORUM: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: 16,
    unit: 'witnesses',
    description:
      'witnesses that must cosign a checkpoint, so that receipts are proved towards it while a newer one lacks them',
  }),
  WRIT_RECORD_INDEX: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'on',
    description: '`off`: this replica does not index records; searches go as far as other replicas have indexed',
  }),
});
export type LedgerConfig = Readonly<Static<typeof Environment>> & {
  readonly checkpointKeys: KeyStore;
  readonly recordKeys: PublicKeyFile;
  readonly witnesses: readonly WitnessAddress[];
  /** absent where NATS has no users */
  readonly natsPassword: string | undefined;
};

const LogKeys = Type.Object({ keys: Type.Array(Type.String(), { minItems: 1 }) });

/**
 * Reads the environment and the files that it names, once. Throws EnvironmentError that names what is missing or wrong.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): LedgerConfig {
  const read = readEnvironment(Environment, env);
  const { WRIT_WITNESSES_FILE: witnessesFile, WRIT_WITNESS_QUORUM: quorum } = read;
  named('WRIT_OUTBOUND_DNS', () => outboundOf(read));
  if (read.WRIT_LOG_PUBLIC_KEYS_FILE !== undefined)
    verifyLogKeyNames(read.WRIT_LOG_PUBLIC_KEYS_FILE, read.WRIT_DEPLOYMENT);
  return Object.freeze({
    ...read,
    checkpointKeys: named('WRIT_CHECKPOINT_KEY', () =>
      keyStoreOf('WRIT_CHECKPOINT_KEY', {
        file: read.WRIT_CHECKPOINT_KEY_FILE,
        text: read.WRIT_CHECKPOINT_KEY,
        wrap: read.WRIT_KEY_WRAP_FILE,
      }),
    ),
    recordKeys: named('WRIT_RECORD_PUBLIC_KEYS_FILE', () => new PublicKeyFile(read.WRIT_RECORD_PUBLIC_KEYS_FILE)),
    witnesses:
      witnessesFile === undefined ? [] : named('WRIT_WITNESSES_FILE', () => readWitnesses(witnessesFile, quorum)),
    natsPassword: readCommonFiles(read),
  });
}

/**
 * Verifiers find the key of a checkpoint by its name, so a key that is published under another name verifies nothing.
 */
function verifyLogKeyNames(path: string, deployment: string): void {
  const other = namesIn(path).find((name) => name !== deployment);
  if (other === undefined) return;
  throw new EnvironmentError([
    `WRIT_DEPLOYMENT is \`${deployment}\`, and the keys in \`${path}\` (WRIT_LOG_PUBLIC_KEYS_FILE) have the name ` +
      `\`${other}\`: no receipt would verify with them. Set WRIT_DEPLOYMENT (\`deployment\` in the chart's values) to ` +
      `\`${other}\`, or publish the log keys under \`${deployment}\` where this deployment has signed nothing yet`,
  ]);
}

function namesIn(path: string): readonly string[] {
  try {
    const { keys } = parseMessage(LogKeys, parseIJson(readFileSync(path), { depthMax: 3 }));
    return keys.map((key) => parseNoteKey(key).name);
  } catch (error) {
    throw new EnvironmentError([
      `WRIT_LOG_PUBLIC_KEYS_FILE \`${path}\` can't be read as \`{"keys":["name+hash+base64"]}\`: ${(error as Error).message}`,
    ]);
  }
}
