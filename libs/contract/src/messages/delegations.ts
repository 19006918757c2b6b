// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';
import { ToolPattern } from '../token.ts';
import { ONE_LINE } from '../one-line.ts';
import { Caller, Page } from './operations.ts';
import { Principal } from './persons.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' });
const asked = { v: Type.Literal(1), caller: Caller } as const;
/** Limit on patterns: more would be unreadable. */
const TOOLS_MAX = 32;

/** The calls that a delegation applies to; null: all of them. */
export const DelegationScope = Type.Object(
  {
    tools: orNull(
      Type.Array(ToolPattern, {
        minItems: 1,
        maxItems: TOOLS_MAX,
        description: 'tool ids and globs; null: every tool',
      }),
    ),
    agent_id: orNull({ ...idSchema('agent'), description: 'calls of that agent alone; null: of every agent' }),
    autonomy_mode: Type.Enum(['soft_gate', 'escalated'], { description: 'the highest supervision that it applies to' }),
  },
  closed,
);
export type DelegationScope = Static<typeof DelegationScope>;

export const DelegationNote = Type.String({ minLength: 1, maxLength: 500, pattern: ONE_LINE, description: 'why' });

/** A right to approve that one person lends another for a limited time. */
export const DelegationView = Type.Object(
  {
    delegation_id: idSchema('delegation'),
    from: { ...Principal, description: 'whose right it is: a vote by it counts as theirs' },
    role: Type.Enum(['operator', 'admin'], { description: 'the right' }),
    to: { ...Principal, description: 'who may use it' },
    scope: DelegationScope,
    note: Type.String(),
    state: Type.Enum(['standing', 'expired', 'revoked']),
    created_at: Instant,
    created_by: Type.String({ description: 'the API key that made it' }),
    expires_at: Instant,
    revoked_at: orNull(Instant),
    revoked_by: orNull(Type.String()),
  },
  closed,
);
export type DelegationView = Static<typeof DelegationView>;

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const DELEGATION_REQUESTS = {
  /** → DelegationView */
  'delegation.create': Type.Object(
    { ...asked, to: Principal, scope: DelegationScope, note: DelegationNote, expires_at: Instant },
    closed,
  ),
  /** → DelegationView; one that has ended already stays unchanged */
  'delegation.revoke': Type.Object({ ...asked, delegation_id: Type.String({ minLength: 1, maxLength: 64 }) }, closed),
  /** → {items: DelegationView[], next_cursor}; newest first. `standing`: only those that are usable now */
  'delegation.list': Type.Object({ ...asked, page: Page, standing: Type.Boolean() }, closed),
} as const;
