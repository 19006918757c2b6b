// SPDX-License-Identifier: Apache-2.0
import {
  Backtest,
  PolicyActivation,
  PolicyDiff,
  PolicyPage,
  PolicyPut,
  PolicyRef,
  PolicySchemaView,
  PolicySetWhole,
  PolicyTemplateList,
  SimulatedCall,
  Simulation,
} from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { PolicyActivationList } from './views.ts';

const eyes = { tag: 'policies', allowed: ['admin', 'operator', 'auditor'] } as const;
const hands = { tag: 'policies', allowed: ['admin'] } as const;
const activation = {
  if_active: Type.Optional(PolicyRef),
  note: Type.Optional(Type.String({ maxLength: 1000, description: 'why, for those who read it later' })),
};

const candidate = {
  policy: Type.Optional(PolicyRef),
  document: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "a set that isn't stored, in the place of `policy`" }),
  ),
};
const {
  agent_id,
  capability_token_id,
  workspace_id,
  tool_id,
  args,
  session_id,
  session_mode,
  max_autonomy,
  task_class,
} = SimulatedCall.properties;
const call = Type.Object(
  {
    agent_id,
    capability_token_id,
    workspace_id,
    tool_id,
    args,
    session_id: Type.Optional(session_id),
    session_mode: Type.Optional(session_mode),
    max_autonomy: Type.Optional(max_autonomy),
    task_class: Type.Optional(task_class),
  },
  closed,
);

export const POLICIES = {
  simulate: route({
    ...eyes,
    id: 'simulatePolicy',
    method: 'POST',
    path: '/v1/policies/simulate',
    summary: 'Says what would become of a call; nothing is decided, reserved or recorded',
    body: Type.Object({ ...candidate, call }, closed),
    answers: { 200: { says: 'What would become of it, and why', schema: Simulation } },
    faults: ['not_found', 'policy.invalid', 'policy.unreadable', 'record.backlog'],
  }),
  backtest: route({
    ...eyes,
    id: 'backtestPolicy',
    method: 'POST',
    path: '/v1/policies/backtest',
    summary: 'Asks a set about recorded calls, page by page: which decisions would be others; signed',
    body: Type.Object(
      {
        ...candidate,
        effects: Type.Optional(
          Type.Boolean({
            description:
              'judges what the calls committed too: a page has `effects` then, and may end before its `limit`',
          }),
        ),
        since: Type.Optional(
          Type.Integer({ minimum: 0, description: 'milliseconds since the epoch; from the beginning unless said' }),
        ),
        cursor: paging.cursor,
        limit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 200, description: 'operations of a page; 100 unless said' }),
        ),
      },
      closed,
    ),
    answers: { 200: { says: 'A page, and the envelope that the kernel signed', schema: Backtest } },
    faults: ['not_found', 'overloaded', 'policy.invalid', 'policy.unreadable'],
  }),
  list: route({
    ...eyes,
    id: 'listPolicies',
    method: 'GET',
    path: '/v1/policies',
    summary: "Lists the policy sets: the one in force, the shipped ones, and the tenant's own",
    query: Type.Object(paging, closed),
    answers: { 200: { says: 'The sets', schema: PolicyPage } },
  }),
  put: route({
    ...hands,
    id: 'putPolicy',
    method: 'POST',
    path: '/v1/policies',
    summary: 'Checks a policy set and stores it; it decides nothing before it is activated',
    body: Type.Object(
      {
        document: Type.Record(Type.String(), Type.Unknown(), {
          description: 'the set, as `GET /v1/policies/schema` says',
        }),
      },
      closed,
    ),
    answers: { 201: { says: 'The stored set, with warnings', schema: PolicyPut } },
    faults: ['policy.invalid'],
  }),
  schema: route({
    ...eyes,
    id: 'readPolicySchema',
    method: 'GET',
    path: '/v1/policies/schema',
    summary: 'Gives the schemas that a policy set is written in',
    answers: {
      200: { says: 'The Cedar schema of the rules, and the JSON Schema of the document', schema: PolicySchemaView },
    },
  }),
  templates: route({
    ...eyes,
    id: 'listPolicyTemplates',
    method: 'GET',
    path: '/v1/policies/templates',
    summary: 'Lists rules for common cases, to be filled in',
    answers: { 200: { says: 'The templates', schema: PolicyTemplateList } },
  }),
  activations: route({
    ...eyes,
    id: 'listPolicyActivations',
    method: 'GET',
    path: '/v1/policies/activations',
    summary: 'Lists which sets were in force, newest first',
    query: Type.Object(paging, closed),
    answers: { 200: { says: 'A page of activations', schema: PolicyActivationList } },
  }),
  diff: route({
    ...eyes,
    id: 'diffPolicies',
    method: 'GET',
    path: '/v1/policies/diff',
    summary: 'Tells what differs between two sets, rule by rule; each is the one in force unless said',
    query: Type.Object({ from: Type.Optional(PolicyRef), to: Type.Optional(PolicyRef) }, closed),
    answers: { 200: { says: 'Rules, history rules and values that differ', schema: PolicyDiff } },
    faults: ['not_found', 'policy.unreadable'],
  }),
  activate: route({
    ...hands,
    id: 'activatePolicy',
    method: 'POST',
    path: '/v1/policies/activate',
    summary: 'Puts a set in force for every decision from now on',
    body: Type.Object(
      {
        policy: PolicyRef,
        ...activation,
        allow_impossible: Type.Optional(
          Type.Boolean({
            description: '`true`: also a set with rules that can never apply, which is refused otherwise',
          }),
        ),
      },
      closed,
    ),
    answers: { 200: { says: 'What is in force now', schema: PolicyActivation } },
    faults: ['not_found', 'conflict', 'policy.invalid', 'policy.unreadable'],
  }),
  rollback: route({
    ...hands,
    id: 'rollBackPolicy',
    method: 'POST',
    path: '/v1/policies/rollback',
    summary: 'Puts the set in force that was before the present one',
    body: Type.Object(activation, closed),
    answers: { 200: { says: 'What is in force now', schema: PolicyActivation } },
    faults: ['conflict', 'policy.unreadable'],
  }),
  read: route({
    ...eyes,
    id: 'readPolicy',
    method: 'GET',
    path: '/v1/policies/{policy}',
    params: { policy: 'policy' },
    summary: 'Shows a policy set: by its hash, its name or `name@version`; `active`: the one in force',
    answers: { 200: { says: 'The set, with all defaults filled in', schema: PolicySetWhole } },
    faults: ['not_found', 'policy.unreadable'],
  }),
};
