// SPDX-License-Identifier: Apache-2.0
//
// The keys that a verifier trusts, in a file that the verifier writes. INVARIANT (apart): the keys of one deployment
// don't verify logs of another, however many a policy names. INVARIANT (unknown is refused): a member unknown to this
// version fails the policy, since it may have been meant to narrow it.
import { parseMessage } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import { parseCosignerKey } from '@writ/signing';
import type { NoteKey } from '@writ/signing';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { PublishedKeys, keySetOf } from './key-set.ts';
import type { KeySet } from './key-set.ts';
import { demand, within } from './run-check.ts';

/** Enough for hundreds of keys of some deployments; bounds the work on a hostile file. */
const POLICY_BYTES_MAX = 1024 * 1024;
/** The file, the list, a deployment, its keys, an entry, its JWK, and further members of a JWK. */
const POLICY_DEPTH = 10;
/** More would make a policy hard to read. */
const WITNESSES_MAX = 64;

const closed = { additionalProperties: false } as const;

const DeploymentSchema = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      description: 'the name of its checkpoint keys, and what the origins of its logs begin with',
    }),
    ...PublishedKeys.properties,
    witnesses: Type.Optional(
      Type.Object(
        {
          keys: Type.Array(
            Type.String({ description: '<name>+<hash>+<base64(0x04 ‖ public key)>, as `writ witness key` prints it' }),
            { minItems: 1, maxItems: WITNESSES_MAX },
          ),
          quorum: Type.Integer({
            minimum: 1,
            maximum: WITNESSES_MAX,
            description: 'how many of them have to have cosigned a checkpoint',
          }),
          checkpoint_age_max_ms: Type.Optional(
            Type.Integer({
              minimum: 1,
              description:
                'how long ago, in milliseconds, the quorum may have seen the checkpoint; no bound where it is left out',
            }),
          ),
        },
        closed,
      ),
    ),
    revoked_keys: Type.Optional(
      Type.Array(
        Type.Object(
          {
            keyid: Type.String({ description: 'of a record key above' }),
            revoked_at: Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' }),
          },
          closed,
        ),
        { description: 'record keys that somebody else may have had' },
      ),
    ),
  },
  closed,
);

/** The file that `writ verify --trust` reads; published as docs/schemas/trust.v1.json. */
export const TrustPolicyFile = Type.Object(
  { v: Type.Literal(1), deployments: Type.Array(DeploymentSchema, { minItems: 1 }) },
  { ...closed, title: 'Trust policy of a verifier of receipts, version 1' },
);

/** A policy's requirements on witnesses. */
export interface WitnessTerms {
  readonly keys: readonly NoteKey[];
  readonly quorum: number;
  /** In milliseconds; null for no limit. */
  readonly checkpointAgeMaxMs: number | null;
}

/** A trust policy's requirements on witnesses, with the time of the verification. */
export interface Witnessing {
  readonly terms: WitnessTerms;
  /** The verifier's time, in milliseconds since the epoch. */
  readonly now: number;
}

/** The trusted keys of one deployment. */
export interface Deployment {
  readonly name: string;
  readonly keys: KeySet;
  /** Null if checkpoints need no witnesses. */
  readonly witnesses: WitnessTerms | null;
}

/** Deployments by their names. */
export type TrustPolicy = ReadonlyMap<string, Deployment>;

/**
 * Parses a trust policy.
 *
 * @throws ReceiptError `keys`, also for a quorum that the witnesses can't reach, for one key under two names, and for a
 * duplicate deployment.
 */
export function parseTrustPolicy(file: string | Uint8Array): TrustPolicy {
  const { deployments } = within('keys', () =>
    parseMessage(TrustPolicyFile, parseIJson(file, { depthMax: POLICY_DEPTH, bytesMax: POLICY_BYTES_MAX })),
  );
  const policy = new Map<string, Deployment>();
  for (const deployment of deployments) {
    demand('keys', !policy.has(deployment.name), `the deployment \`${deployment.name}\` comes twice`);
    policy.set(deployment.name, deploymentOf(deployment));
  }
  return policy;
}

/**
 * The deployment whose logs have origins like this one: `<deployment>/<log_id>`. Undefined if the policy has no such
 * deployment.
 */
export function deploymentOfOrigin(policy: TrustPolicy, origin: string): Deployment | undefined {
  return policy.get(origin.slice(0, Math.max(0, origin.lastIndexOf('/'))));
}

function deploymentOf({
  name,
  record_keys,
  log_keys,
  revoked_log_keys = [],
  witnesses,
  revoked_keys = [],
}: Static<typeof DeploymentSchema>): Deployment {
  const published = keySetOf({ record_keys, log_keys, revoked_log_keys });
  const foreignKey = [...published.logKeys, ...published.revokedLogKeys].find((key) => key.name !== name);
  demand(
    'keys',
    foreignKey === undefined,
    `\`${foreignKey?.name ?? ''}\` is no key of the deployment \`${name}\`: its checkpoint keys have its name`,
  );
  const recordKeys = new Map(published.recordKeys);
  for (const { keyid, revoked_at } of revoked_keys) {
    const key = recordKeys.get(keyid);
    demand('keys', key !== undefined, `the revoked key \`${keyid}\` is none of the record keys of \`${name}\``);
    if (key !== undefined) recordKeys.set(keyid, { ...key, revokedAt: revoked_at });
  }
  const keys = { ...published, recordKeys };
  return { name, keys, witnesses: witnesses === undefined ? null : witnessTermsOf(witnesses, keys.logKeys) };
}

type WitnessesFile = Exclude<Static<typeof DeploymentSchema>['witnesses'], undefined>;

function witnessTermsOf(
  { keys: texts, quorum, checkpoint_age_max_ms }: WitnessesFile,
  logKeys: readonly NoteKey[],
): WitnessTerms {
  const keys = texts.map((text) => within('keys', () => parseCosignerKey(text)));
  const distinct = new Set(keys.map(({ verifier }) => verifier.keyid));
  demand('keys', distinct.size === keys.length, 'two witnesses have one key: it would be counted twice');
  demand(
    'keys',
    quorum <= keys.length,
    `a quorum of ${String(quorum)} can't be reached with ${String(keys.length)} witnesses`,
  );
  demand(
    'keys',
    !logKeys.some(({ verifier }) => distinct.has(verifier.keyid)),
    "a log can't be its own witness: one of the witnesses has its key",
  );
  return { keys, quorum, checkpointAgeMaxMs: checkpoint_age_max_ms ?? null };
}
