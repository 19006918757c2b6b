// SPDX-License-Identifier: Apache-2.0
import {
  Backtest,
  PolicyActivation,
  PolicyDiff,
  PolicyPage,
  PolicyPutReply,
  PolicyRef,
  PolicySchemaView,
  PolicySetDetails,
  PolicyTemplateList,
  SimulatedCall,
  Simulation,
} from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { PolicyActivationList } from './views.ts';

const readRoute = { tag: 'policies', allowed: ['admin', 'operator', 'auditor'] } as const;
const writeRoute = { tag: 'policies', allowed: ['admin'] } as const;
const activation = {
  if_active: Type.Optional(PolicyRef),
  note: Type.Optional(Type.String({ maxLength: 1000, description: 'the reason, for later readers' })),
};

const candidate = {
  policy: Type.Optional(PolicyRef),
  document: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "a set that isn't stored, instead of `policy`" }),
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
    ...readRoute,
    id: 'simulatePolicy',
    method: 'POST',
    path: '/v1/policies/simulate',
    summary: 'Evaluates a call without deciding, reserving or recording anything',
    body: Type.Object({ ...candidate, call }, closed),
    answers: { 200: { description: 'The verdict that the call would get, and why', schema: Simulation } },
    faults: ['not_found', 'policy.invalid', 'policy.unreadable', 'record.backlog'],
  }),
  backtest: route({
    ...readRoute,
    id: 'backtestPolicy',
    method: 'POST',
    path: '/v1/policies/backtest',
    summary:
      'Evaluates a set on recorded calls, page by page, and lists decisions that would differ; the page is signed',
    body: Type.Object(
      {
        ...candidate,
        effects: Type.Optional(
          Type.Boolean({
            description: 'also evaluates committed effects: a page then has `effects`, and may end before its `limit`',
          }),
        ),
        since: Type.Optional(
          Type.Integer({ minimum: 0, description: 'milliseconds since the epoch; default: from the beginning' }),
        ),
        cursor: paging.cursor,
        limit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 200, description: 'operations of a page; default: 100' }),
        ),
      },
      closed,
    ),
    answers: { 200: { description: 'A page, and the envelope that the kernel signed', schema: Backtest } },
    faults: ['not_found', 'overloaded', 'policy.invalid', 'policy.unreadable'],
  }),
  list: route({
    ...readRoute,
    id: 'listPolicies',
    method: 'GET',
    path: '/v1/policies',
    summary: "Lists the policy sets: the one in force, the shipped ones, and the tenant's own",
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'The sets', schema: PolicyPage } },
  }),
  put: route({
    ...writeRoute,
    id: 'putPolicy',
    method: 'POST',
    path: '/v1/policies',
    summary: 'Validates and stores a policy set; it has no effect before it is activated',
    body: Type.Object(
      {
        document: Type.Record(Type.String(), Type.Unknown(), {
          description: 'the set, in the format of `GET /v1/policies/schema`',
        }),
      },
      closed,
    ),
    answers: { 201: { description: 'The stored set, with warnings', schema: PolicyPutReply } },
    faults: ['policy.invalid'],
  }),
  schema: route({
    ...readRoute,
    id: 'readPolicySchema',
    method: 'GET',
    path: '/v1/policies/schema',
    summary: 'Returns the schemas of policy sets',
    answers: {
      200: {
        description: 'The Cedar schema of the rules, and the JSON Schema of the document',
        schema: PolicySchemaView,
      },
    },
  }),
  templates: route({
    ...readRoute,
    id: 'listPolicyTemplates',
    method: 'GET',
    path: '/v1/policies/templates',
    summary: 'Lists rules for common cases, to be filled in',
    answers: { 200: { description: 'The templates', schema: PolicyTemplateList } },
  }),
  activations: route({
    ...readRoute,
    id: 'listPolicyActivations',
    method: 'GET',
    path: '/v1/policies/activations',
    summary: 'Lists which sets were in force, newest first',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of activations', schema: PolicyActivationList } },
  }),
  diff: route({
    ...readRoute,
    id: 'diffPolicies',
    method: 'GET',
    path: '/v1/policies/diff',
    summary: 'Compares two sets, rule by rule; each defaults to the one in force',
    query: Type.Object({ from: Type.Optional(PolicyRef), to: Type.Optional(PolicyRef) }, closed),
    answers: { 200: { description: 'Rules, history rules and values that differ', schema: PolicyDiff } },
    faults: ['not_found', 'policy.unreadable'],
  }),
  activate: route({
    ...writeRoute,
    id: 'activatePolicy',
    tagged: 'policy',
    method: 'POST',
    path: '/v1/policies/activate',
    summary: 'Activates a set for every decision from now on',
    body: Type.Object(
      {
        policy: PolicyRef,
        ...activation,
        allow_impossible: Type.Optional(
          Type.Boolean({
            description: '`true`: accepts a set with rules that can never apply, which is otherwise refused',
          }),
        ),
      },
      closed,
    ),
    answers: { 200: { description: 'What is in force now', schema: PolicyActivation } },
    faults: ['not_found', 'conflict', 'policy.invalid', 'policy.unreadable'],
  }),
  rollback: route({
    ...writeRoute,
    id: 'rollBackPolicy',
    tagged: 'policy',
    method: 'POST',
    path: '/v1/policies/rollback',
    summary: 'Activates the previous set again',
    body: Type.Object(activation, closed),
    answers: { 200: { description: 'What is in force now', schema: PolicyActivation } },
    faults: ['not_found', 'conflict', 'policy.unreadable'],
  }),
  read: route({
    ...readRoute,
    id: 'readPolicy',
    tagged: 'policy',
    method: 'GET',
    path: '/v1/policies/{policy}',
    params: { policy: 'policy' },
    summary: 'Shows a policy set: by its hash, its name or `name@version`; `active`: the one in force',
    answers: { 200: { description: 'The set, with all defaults filled in', schema: PolicySetDetails } },
    faults: ['not_found', 'policy.unreadable'],
  }),
};
