// SPDX-License-Identifier: Apache-2.0
import {
  FunctionOutcome,
  FunctionRedemption,
  FunctionRenewal,
  FunctionReported,
  PermitProof,
  TakenPermit,
  type FaultCode,
} from '@writ/contract';
import { Type } from 'typebox';
import { closed, Key, Wait } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';

const PROOF_FAULTS = ['permit.invalid', 'attempt.fenced'] as const satisfies FaultCode[];
const REDEEM_FAULTS = [
  ...PROOF_FAULTS,
  'permit.expired',
  'permit.spent',
  'tool.changed',
  'token.revoked',
  'token.expired',
  'deadline',
  'frozen',
] as const satisfies FaultCode[];

const Proof = Type.Object(PermitProof, closed);
const Report = Type.Object({ ...PermitProof, outcome: FunctionOutcome }, closed);
const TAKEN = { 200: { description: 'The permit; null where no call waits', schema: TakenPermit } };
const REDEEMED = {
  200: { description: 'The call, with exactly the arguments decided on', schema: FunctionRedemption },
};
const RENEWED = { 200: { description: 'The end of the lease, and whether to stop', schema: FunctionRenewal } };
const REPORTED = { 200: { description: 'The state of the operation', schema: FunctionReported } };

const shared = { tag: 'functions', method: 'POST' } as const;
const holders = ['agent', 'worker'] as const;

/**
 * Calls that processes of the tenant run. A worker takes the permit of any call of its tools, and an agent that of its
 * own call. From then on both do the same: a permit counts for the key that took it, and for no other.
 */
export const FUNCTIONS = {
  take: route({
    ...shared,
    id: 'takePermit',
    path: '/v1/permits/next',
    allowed: ['worker'],
    summary: "Takes a permit for the next waiting call of the worker's tools; with `wait`, waits for one",
    query: Type.Object({ wait: Wait }, closed),
    body: Type.Object({}, closed),
    answers: TAKEN,
    faults: ['rate.limited'],
  }),
  takeOwn: route({
    ...shared,
    id: 'takeOwnPermit',
    path: '/v1/permits/own',
    allowed: ['agent'],
    summary: 'Takes the permit for a call that its proposer runs',
    body: Type.Object({ operation_id: Key }, closed),
    answers: TAKEN,
  }),
  redeem: route({
    ...shared,
    id: 'redeemPermit',
    path: '/v1/permits/redemptions',
    allowed: holders,
    summary: 'Redeems a permit, once: from then on the function may have taken effect',
    body: Proof,
    answers: REDEEMED,
    faults: REDEEM_FAULTS,
  }),
  renew: route({
    ...shared,
    id: 'renewLease',
    path: '/v1/permits/renewals',
    allowed: holders,
    summary: 'Extends the lease of an attempt',
    body: Proof,
    answers: RENEWED,
    faults: PROOF_FAULTS,
  }),
  report: route({
    ...shared,
    id: 'reportFunction',
    path: '/v1/permits/reports',
    allowed: holders,
    summary: 'Reports what became of a call, as the claim of who ran it',
    body: Report,
    answers: REPORTED,
    faults: PROOF_FAULTS,
  }),
};
