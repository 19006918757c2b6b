// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { ACT_KINDS } from '../act.ts';
import { ZONES } from '../zones.ts';

const closed = { additionalProperties: false } as const;

/**
 * The dimensions of a risk: whether the effect can be undone, how far it reaches, how uncertain it is, how sensitive
 * the target is.
 */
export const DIMENSIONS = ['reversibility', 'blast_radius', 'ambiguity', 'policy_sensitivity'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** The least supervision that a rule requires, whatever policy says: none, a person, or a refusal. */
export const CEILINGS = ['none', 'soft_gate', 'no_go'] as const;
export type Ceiling = (typeof CEILINGS)[number];

/** Flow labels of a session that a rule may require. */
export const FLOW_LABELS = ['untrusted_content', 'secret_read', 'private_data'] as const;

const Points = Type.Integer({ minimum: 1, maximum: 1000 });
const Count = Type.Integer({ minimum: 1, maximum: 1_000_000 });

const History = Type.Object(
  {
    destructive_calls: Type.Optional({
      ...Count,
      description:
        'at least so many destructive calls of the session came before, in the window that the caller looks back',
    }),
    failures_in_a_row: Type.Optional({
      ...Count,
      description: 'at least so many calls of the session failed just before, one after another',
    }),
    labels: Type.Optional(
      Type.Array(Type.Enum([...FLOW_LABELS]), { minItems: 1, description: 'the session has all of these labels' }),
    ),
  },
  {
    ...closed,
    minProperties: 1,
    description: "what happened before; a fact that the caller doesn't give counts as 0, or as absent",
  },
);

const When = Type.Object(
  {
    kinds: Type.Optional(
      Type.Array(Type.Enum([...ACT_KINDS]), {
        minItems: 1,
        description: 'what the call would do; left out: the rule speaks of the call as such',
      }),
    ),
    zones: Type.Optional(Type.Array(Type.Enum([...ZONES]), { minItems: 1, description: 'where it would do it' })),
    recursive: Type.Optional(Type.Boolean({ description: 'to a tree' })),
    many: Type.Optional(Type.Boolean({ description: 'to more than one named thing; of a mode: drastic' })),
    categories: Type.Optional(
      Type.Array(Type.Enum(['read', 'write', 'admin']), { minItems: 1, description: 'the category of the tool' }),
    ),
    history: Type.Optional(History),
  },
  { ...closed, minProperties: 1, description: 'all of it must hold' },
);

/** A row of the risk table, as data. */
export const RiskRule = Type.Object(
  {
    id: Type.String({
      pattern: '^[a-z]+\\.[a-z_]+$',
      maxLength: 64,
      description: 'names the rule in results and records',
    }),
    when: When,
    points: Type.Partial(
      Type.Object(
        { reversibility: Points, blast_radius: Points, ambiguity: Points, policy_sensitivity: Points },
        closed,
      ),
      {
        ...closed,
        minProperties: 1,
        description: 'thousandths of what safety is left that the rule takes, by dimension',
      },
    ),
    ceiling: Type.Enum([...CEILINGS], {
      description: 'the least supervision: none, a person (soft_gate), or refused whatever a person says (no_go)',
    }),
    reach: Type.Enum(['workspace', 'beyond'], {
      description: 'whether what it speaks of stays within the workspace, which a rollback undoes',
    }),
    message: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'in words; `{form}` and `{subject}` stand for what does it and to what',
    }),
  },
  { ...closed, title: 'RiskRule' },
);

/** `title` names the whole table for readers of its schema. */
export const RiskRules = Type.Array(RiskRule, { title: 'RiskRules', minItems: 1 });

type Mutable = Static<typeof RiskRule>;
type Frozen<T> = T extends readonly (infer E)[]
  ? readonly Frozen<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;
export type RiskRule = Frozen<Mutable>;
