// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';
import { Caller, Page } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' });
const asked = { v: Type.Literal(1), caller: Caller } as const;
/** Two of them can be added without loss. */
const Amount = Type.Integer({ minimum: 0, maximum: 2 ** 48 });

/** What a budget bounds the use of. */
export const BudgetMeasure = Type.Enum(['calls', 'llm_tokens', 'cost'], {
  description:
    'calls: calls that were admitted; llm_tokens: tokens that models of runs read and wrote; cost: what they cost, in millionths of `currency`',
});

/** Whose use a budget bounds. A closed list of kinds. The members of a group share its budget. */
export const BudgetSubject = Type.Object(
  {
    kind: Type.Enum(['tenant', 'agent', 'person', 'group', 'api_key']),
    id: orNull(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description:
          'the agent, the API key, the approver group, or the person as API keys name them (the id of a key that names nobody); null for the tenant as a whole',
      }),
    ),
  },
  closed,
);
export type BudgetSubject = Static<typeof BudgetSubject>;

const Period = Type.Enum(['day', 'month'], { description: 'a calendar day or month in UTC' });
const Currency = Type.String({
  pattern: '^[A-Z]{3}$',
  description: 'as the prices of the models name it; only of the measure `cost`',
});

/** A budget to set: it takes the place of the one of the same subject, period, measure and currency. */
export const BudgetSetting = Type.Object(
  {
    subject: BudgetSubject,
    period: Period,
    measure: BudgetMeasure,
    currency: Type.Optional(orNull(Currency)),
    limit: { ...Amount, description: 'the most that one period may use' },
  },
  closed,
);
export type BudgetSetting = Static<typeof BudgetSetting>;

/** A budget per day or month, with its use in the present period. */
export const BudgetView = Type.Object(
  {
    budget_id: idSchema('budget'),
    subject: BudgetSubject,
    period: Period,
    measure: BudgetMeasure,
    currency: orNull(Currency),
    limit: Amount,
    used: Type.Integer({ minimum: 0, description: 'in the present period' }),
    starts_at: { ...Instant, description: 'when the present period began, in milliseconds since the epoch' },
    resets_at: { ...Instant, description: 'when the next one begins, in milliseconds since the epoch' },
    created_at: Instant,
    created_by: Type.String({ description: 'the API key that set it first' }),
    changed_at: Instant,
    changed_by: Type.String({ description: 'the API key that set its limit last' }),
  },
  closed,
);
export type BudgetView = Static<typeof BudgetView>;

const BudgetKey = Type.String({ minLength: 1, maxLength: 64 });

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const BUDGET_REQUESTS = {
  /** → BudgetView */
  'budget.set': Type.Object({ ...asked, budget: BudgetSetting }, closed),
  /** → BudgetView */
  'budget.read': Type.Object({ ...asked, budget_id: BudgetKey }, closed),
  /** → {items: BudgetView[], next_cursor}; newest first */
  'budget.list': Type.Object({ ...asked, page: Page }, closed),
  /** → BudgetView of the budget as it was */
  'budget.delete': Type.Object({ ...asked, budget_id: BudgetKey }, closed),
} as const;
