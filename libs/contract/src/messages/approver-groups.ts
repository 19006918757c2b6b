// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { conditional } from './if-match.ts';
import { Caller, Page } from './operations.ts';
import { Principal } from './persons.ts';
import { ONE_LINE } from '../one-line.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' });
const asked = { v: Type.Literal(1), caller: Caller } as const;

export const APPROVER_GROUP_NAME = '^[a-z0-9][a-z0-9_.-]{0,63}$';
/** The name of an approver group: policies and answers name the group by it. */
export const ApproverGroupName = Type.String({
  pattern: APPROVER_GROUP_NAME,
  description: 'what policies call the group',
});
/** A name in a path: any other text is no group's. */
const Named = Type.String({ minLength: 1, maxLength: 64 });

/** More persons than one group of approvers needs; a list of groups must fit a message. */
export const APPROVER_GROUP_MEMBERS_MAX = 256;
/** More groups than one rule, or one step of an escalation, needs. */
export const APPROVER_GROUPS_MAX = 8;
/** What a member looks like that is a service account and no person. */
export const SERVICE_ACCOUNT = /^mbr_/;

export const ApproverGroupMembers = Type.Array(Principal, {
  maxItems: APPROVER_GROUP_MEMBERS_MAX,
  uniqueItems: true,
  description: 'the persons: names as on their API keys, or the ids of keys without one; empty: nobody',
});
export const ApproverGroupDescription = Type.String({
  maxLength: 500,
  pattern: ONE_LINE,
  description: 'what the group is for',
});

/** A group of persons who may approve what a policy reserves for them. */
export const ApproverGroupView = Type.Object(
  {
    name: ApproverGroupName,
    description: Type.String(),
    members: Type.Array(Type.String(), { description: 'the persons, sorted' }),
    created_at: Instant,
    created_by: Type.String({ description: 'the API key' }),
    changed_at: Instant,
    changed_by: Type.String({ description: 'the API key' }),
  },
  closed,
);
export type ApproverGroupView = Static<typeof ApproverGroupView>;

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const APPROVER_GROUP_REQUESTS = {
  /** → ApproverGroupView: the group with exactly these members, new or changed */
  'approver_group.put': Type.Object(
    {
      ...asked,
      ...conditional,
      name: ApproverGroupName,
      members: ApproverGroupMembers,
      description: orNull(ApproverGroupDescription),
    },
    closed,
  ),
  /** → {items: ApproverGroupView[], next_cursor}, by name */
  'approver_group.list': Type.Object({ ...asked, page: Page }, closed),
  /** → ApproverGroupView */
  'approver_group.read': Type.Object({ ...asked, name: Named }, closed),
  /** → {removed: name}; `conflict` for a group that the policy in force names */
  'approver_group.remove': Type.Object({ ...asked, ...conditional, name: Named }, closed),
} as const;
