// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { Sha256Hex } from '../ids.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' });

export const POLICY_REF = '^[a-z0-9][a-z0-9_.-]{0,63}(?:@[1-9][0-9]{0,8})?$';
/** The name of a policy set: its hash, a name (the newest set of it), or `name@version`. */
export const PolicyRef = Type.String({
  pattern: POLICY_REF,
  description: 'a policy set: its hash, a name, or `name@version`',
});

/** A policy set in a list. */
export const PolicySetView = Type.Object(
  {
    policy_hash: Sha256Hex,
    name: Type.String(),
    version: orNull(Type.Integer({ minimum: 1, description: 'number of the set under its name, from 1' })),
    description: Type.String(),
    enforcement: Type.Enum(['enforce', 'observe']),
    active: Type.Boolean({ description: 'whether it is in force now' }),
    shipped: Type.Boolean({ description: 'whether every tenant has it' }),
    created_by: orNull(Type.String({ description: 'the API key that stored it; null for a shipped one' })),
    created_at: orNull(Instant),
  },
  closed,
);
export type PolicySetView = Static<typeof PolicySetView>;

/** A policy set with its document, whose schema `policy.schema` returns. */
export const PolicySetDetails = Type.Object(
  { ...PolicySetView.properties, document: Type.Record(Type.String(), Type.Unknown()) },
  closed,
);
export type PolicySetDetails = Static<typeof PolicySetDetails>;

const Ms = Type.Integer({ minimum: 1 });
/** The times of the set in force, in milliseconds. They don't say what it permits, so every role may read them. */
export const PolicyTimes = Type.Object(
  { approval_ms: Ms, preview_ms: Ms, staged_change_ms: Ms, session_grant_ms: Ms },
  closed,
);
export type PolicyTimes = Static<typeof PolicyTimes>;

/** A problem or an oddity of a policy set. */
export const PolicyProblem = Type.Object(
  {
    pointer: Type.String({
      description: 'JSON pointer of the place in the document; `/cedar` for what is wrong in the rules',
    }),
    line: orNull(Type.Integer({ minimum: 1, description: 'in the rules; null for everything else' })),
    column: orNull(Type.Integer({ minimum: 1 })),
    message: Type.String(),
    help: Type.String({ description: 'what to do about it; empty where the message says it all' }),
  },
  closed,
);

/** The result of putting a set: it is stored, or its problems are reported. */
export const PolicyPutReply = Type.Object(
  {
    valid: Type.Boolean(),
    problems: Type.Array(PolicyProblem, { description: 'everything that is wrong' }),
    warnings: Type.Array(PolicyProblem, { description: 'what is allowed but odd' }),
    policy: orNull(PolicySetView),
  },
  closed,
);
export type PolicyPutReply = Static<typeof PolicyPutReply>;

/** Which set is in force, and since when. */
export const PolicyActivation = Type.Object(
  {
    policy_hash: Sha256Hex,
    name: Type.String(),
    version: orNull(Type.Integer({ minimum: 1 })),
    enforcement: Type.Enum(['enforce', 'observe']),
    seq: Type.Integer({
      minimum: 0,
      description: "counts the tenant's activations; 0: none yet, so the default set is in force",
    }),
    activated_by: orNull(Type.String()),
    at: orNull(Instant),
    note: orNull(Type.String()),
  },
  closed,
);
export type PolicyActivation = Static<typeof PolicyActivation>;

export const PolicyPage = Type.Object(
  {
    active: PolicyActivation,
    shipped: Type.Array(PolicySetView),
    items: Type.Array(PolicySetView, { description: 'stored by the tenant, newest first' }),
    next_cursor: orNull(Type.String()),
  },
  closed,
);
export type PolicyPage = Static<typeof PolicyPage>;

const change = <T extends TSchema>(rule: T) =>
  Type.Object(
    {
      id: Type.String(),
      change: Type.Enum(['added', 'removed', 'changed']),
      before: orNull(rule),
      after: orNull(rule),
    },
    closed,
  );
const Setting = Type.Union([Type.String(), Type.Number(), Type.Null()]);

/** The differences between two sets; empty if only comments or order differ. */
export const PolicyDiff = Type.Object(
  {
    from: PolicySetView,
    to: PolicySetView,
    rules: Type.Array(change(Type.String()), { description: 'of the text, as Cedar' }),
    history: Type.Array(change(Type.Record(Type.String(), Type.Unknown()))),
    settings: Type.Array(Type.Object({ pointer: Type.String(), before: Setting, after: Setting }, closed), {
      description: 'thresholds, quorums, times to live, enforcement, name',
    }),
  },
  closed,
);
export type PolicyDiff = Static<typeof PolicyDiff>;

/** The languages of policy sets. */
export const PolicySchemaView = Type.Object(
  {
    version: Type.Integer({ minimum: 1, description: 'goes into every policy hash' }),
    cedar: Type.String({ description: 'the Cedar schema that rules are checked against' }),
    document: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the document' }),
  },
  closed,
);
export type PolicySchemaView = Static<typeof PolicySchemaView>;

export const PolicyTemplateView = Type.Object(
  {
    id: Type.String(),
    description: Type.String(),
    parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the parameters' }),
  },
  closed,
);
export const PolicyTemplateList = Type.Object({ items: Type.Array(PolicyTemplateView) }, closed);
export type PolicyTemplateList = Static<typeof PolicyTemplateList>;
