// SPDX-License-Identifier: Apache-2.0
import { compilePolicySet } from '../policy-set.ts';
import { policySchema } from './schema.ts';

test('the schema that rules are written against: if it can change what a rule means, its version must be raised', () => {
  expect(
    policySchema([
      { tool_id: 'fs.read', category: 'read' },
      { tool_id: 'web.api.post', category: 'write' },
      {
        tool_id: 'pay',
        category: 'admin',
        parameters: {
          type: 'object',
          properties: {
            amount: { type: 'integer' },
            fee: { type: 'number' },
            to: {
              type: 'object',
              properties: { in: { type: 'string' }, 'a b': { type: 'boolean' } },
              required: ['in'],
            },
            tags: { type: 'array', items: { enum: ['x'] } },
            maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
          },
          required: ['amount'],
        },
      },
    ]),
  ).toMatchInlineSnapshot(`
    "type Context = {
        supervision: String,
        risk_milli: Long,
        risk_ceiling: String,
        risk_level: String,
        task_class: String,
        tool_class: String,
        labels: Set<String>,
        delegated_by: Set<Agent>,
        session_mode: String,
        job_lists_tool: Bool,
        staged_change: Bool,
        history_broken: Set<String>,
        person?: { id: String, known: Bool },
        time?: { hour: Long, weekday: Long },
        egress?: { domains: Set<String>, methods: Set<String>, purpose: String },
        effect?: { created: Long, modified: Long, deleted: Long, areas: Set<String> },
    };
    type Context1 = {
        supervision: String,
        risk_milli: Long,
        risk_ceiling: String,
        risk_level: String,
        task_class: String,
        tool_class: String,
        labels: Set<String>,
        delegated_by: Set<Agent>,
        session_mode: String,
        job_lists_tool: Bool,
        staged_change: Bool,
        history_broken: Set<String>,
        person?: { id: String, known: Bool },
        time?: { hour: Long, weekday: Long },
        egress?: { domains: Set<String>, methods: Set<String>, purpose: String },
        effect?: { created: Long, modified: Long, deleted: Long, areas: Set<String> },
        args: { amount: Long, fee?: decimal, tags?: Set<String>, to?: { "a b"?: Bool, "in": String } },
    };
    entity Agent;
    entity Workspace;
    entity File in [Workspace] { path: String, access: String };
    entity Resource in [Workspace] { kind: String, name: String, owner: String };
    action "read", "write", "admin", "fs.*", "web.*", "web.api.*";
    action "fs.read" in [Action::"read", Action::"fs.*"] appliesTo {
      principal: Agent,
      resource: [Workspace, File, Resource],
      context: Context,
    };
    action "web.api.post" in [Action::"write", Action::"web.*", Action::"web.api.*"] appliesTo {
      principal: Agent,
      resource: [Workspace, File, Resource],
      context: Context,
    };
    action "pay" in [Action::"admin"] appliesTo {
      principal: Agent,
      resource: [Workspace, File, Resource],
      context: Context1,
    };"
  `);
});

test('the hash of a set that reads arguments includes the version of the schema', () => {
  const cedar = '@id("a") permit (principal, action == Action::"pay", resource) when { context.args.amount < 500 };';
  const parameters = { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] };
  const { policy_hash } = compilePolicySet({ v: 1, name: 'pinned', cedar }, [
    { tool_id: 'pay', category: 'admin', parameters },
  ]);
  expect(policy_hash).toMatchInlineSnapshot(`"0052b29fef85d60839d0c8c2aa803899cf0f50d13321dc5a57e26027ca36216a"`);
});

test('the hash of a set that reserves approvals for groups includes the version of the schema', () => {
  const cedar = '@id("a") @approvers("finance") forbid (principal, action, resource);';
  const waiting = { escalation: [{ after_ms: 60_000, to: ['leads'] }], reminders_ms: [30_000] };
  const { policy_hash } = compilePolicySet({ v: 1, name: 'pinned', cedar, waiting }, [
    { tool_id: 'pay', category: 'admin' },
  ]);
  expect(policy_hash).toMatchInlineSnapshot(`"9014ced9d1b344e8760f2870e2a5f9cbe5381db586ceab00b126cee6471501af"`);
});
