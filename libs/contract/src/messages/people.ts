// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { idSchema } from '../ids.ts';
import { Caller } from './operations.ts';
import { Principal } from './persons.ts';

const closed = { additionalProperties: false } as const;

/** The names of one member that the kernel takes: a person changes it a few times. */
export const PRINCIPALS_MAX = 100;

/**
 * Who decides about a call. `other_names`: those under which the member of the caller has keys, too, since it is one
 * person. Absent: none, or no member. A kernel of the version before refuses it.
 */
export const decider = {
  v: Type.Literal(1),
  caller: Caller,
  other_names: Type.Optional(Type.Array(Principal, { minItems: 1, maxItems: PRINCIPALS_MAX })),
} as const;

/** The kernel's changes for an offboarded member. */
export const PersonOffboarded = Type.Object(
  {
    /** delegations from and to the person that stood, and that this request revoked */
    delegations: Type.Integer({ minimum: 0 }),
  },
  closed,
);
export type PersonOffboarded = Static<typeof PersonOffboarded>;

/** The kernel's changes for a member who is suspended, or active again. */
export const PersonSuspended = Type.Object(
  {
    /** names whose votes count no more, or again, since this request */
    names: Type.Integer({ minimum: 0 }),
  },
  closed,
);
export type PersonSuspended = Static<typeof PersonSuspended>;

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const PEOPLE_REQUESTS = {
  /**
   * → PersonOffboarded. Votes of the person, and those under rights that the person lent or was lent, count for no
   * approval any more. Delegations from and to the person are revoked. Keys and calls are ended by `api_key.revoke`. A
   * repeated request revokes what was made meanwhile.
   */
  'person.offboard': Type.Object(
    {
      v: Type.Literal(1),
      caller: Caller,
      member_id: idSchema('member'),
      principals: Type.Array(Principal, { minItems: 1, maxItems: PRINCIPALS_MAX }),
    },
    closed,
  ),
  /**
   * → PersonSuspended. While the person is suspended, votes of these names, and those under rights that they lent or
   * were lent, count for no approval. They count again when `suspended` is false, for all names of the member.
   */
  'person.suspend': Type.Object(
    {
      v: Type.Literal(1),
      caller: Caller,
      member_id: idSchema('member'),
      suspended: Type.Boolean(),
      principals: Type.Array(Principal, { maxItems: PRINCIPALS_MAX }),
    },
    closed,
  ),
} as const;
