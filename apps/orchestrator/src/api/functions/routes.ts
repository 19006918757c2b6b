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

const worker = { tag: 'functions', method: 'POST', allowed: ['worker'] } as const;
const proposer = { tag: 'functions', method: 'POST', allowed: ['agent'] } as const;

/** Calls that processes of the tenant run: workers under `/v1/worker`, proposers of inline calls under `/v1/inline`. */
export const FUNCTIONS = {
  take: route({
    ...worker,
    id: 'takePermit',
    path: '/v1/worker/permits',
    summary: "Takes a permit for the next waiting call of the worker's tools; with `wait`, waits for one",
    query: Type.Object({ wait: Wait }, closed),
    body: Type.Object({}, closed),
    answers: TAKEN,
    faults: ['rate.limited'],
  }),
  redeem: route({
    ...worker,
    id: 'redeemPermit',
    path: '/v1/worker/redemptions',
    summary: 'Redeems a permit, once: from then on the function may have taken effect',
    body: Proof,
    answers: REDEEMED,
    faults: REDEEM_FAULTS,
  }),
  renew: route({
    ...worker,
    id: 'renewLease',
    path: '/v1/worker/renewals',
    summary: 'Extends the lease of an attempt',
    body: Proof,
    answers: RENEWED,
    faults: PROOF_FAULTS,
  }),
  report: route({
    ...worker,
    id: 'reportFunction',
    path: '/v1/worker/reports',
    summary: 'Reports what became of a call, as the claim of the worker',
    body: Report,
    answers: REPORTED,
    faults: PROOF_FAULTS,
  }),
  takeOwn: route({
    ...proposer,
    id: 'takeOwnPermit',
    path: '/v1/inline/permits',
    summary: 'Takes the permit for a call that its proposer runs',
    body: Type.Object({ operation_id: Key }, closed),
    answers: TAKEN,
  }),
  redeemOwn: route({
    ...proposer,
    id: 'redeemOwnPermit',
    path: '/v1/inline/redemptions',
    summary: 'Redeems the permit for such a call, once: from then on the function may have taken effect',
    body: Proof,
    answers: REDEEMED,
    faults: REDEEM_FAULTS,
  }),
  renewOwn: route({
    ...proposer,
    id: 'renewOwnLease',
    path: '/v1/inline/renewals',
    summary: 'Extends the lease of such an attempt',
    body: Proof,
    answers: RENEWED,
    faults: PROOF_FAULTS,
  }),
  reportOwn: route({
    ...proposer,
    id: 'reportOwnFunction',
    path: '/v1/inline/reports',
    summary: 'Reports what became of such a call, as the claim of its proposer',
    body: Report,
    answers: REPORTED,
    faults: PROOF_FAULTS,
  }),
};
