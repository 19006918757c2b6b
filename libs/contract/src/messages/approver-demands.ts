// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false } as const;

/** A policy's demand on who approves: so many distinct persons, each of one of these groups. */
export const ApproverDemand = Type.Object(
  {
    any_of: Type.Array(Type.String(), { description: 'the groups; a person of any of them counts' }),
    count: Type.Integer({ minimum: 1, description: 'how many distinct persons of them must approve' }),
  },
  closed,
);
export type ApproverDemand = Static<typeof ApproverDemand>;

/** A demand with the approvals that count for it. */
export const ApproverDemandView = Type.Object(
  { ...ApproverDemand.properties, given: Type.Integer({ minimum: 0, description: 'how many of them have approved' }) },
  closed,
);
export type ApproverDemandView = Static<typeof ApproverDemandView>;
