// SPDX-License-Identifier: Apache-2.0
// What an answer expands is what the route of its own answers, for every caller: roles, agents and tenants.
import { Writ } from '@writ/client';
import { eventually, makeWorld, RECORDED_MODEL, sharedStack, type Api, type JsonValue, type World } from '@writ/stack';

let ours: World;
let theirs: World;
let other: Api;
let ids: { done: string; held: string; approval: string; child: string; session: string; run: string };
let url: string;

beforeAll(async () => {
  const stack = await sharedStack();
  ({ url } = stack);
  [ours, theirs] = await Promise.all([
    makeWorld(url, stack.keys.platformKey, { files: { 'src/a.txt': 'one\n' } }),
    makeWorld(url, stack.keys.platformKey, { files: { 'a.txt': 'two\n' } }),
  ]);
  const agent = await ours.admin.must('/v1/agents', { name: 'other' });
  const key = await ours.admin.must('/v1/api-keys', { name: 'other', role: 'agent', agent_id: agent.agent_id });
  other = ours.admin.as(key.api_key as string);
  const done = (await ours.call('fs.read', { path: 'src/a.txt' })).body;
  const held = (await ours.call('shell.run', { command: 'rm -rf src' })).body;
  const { body: operation } = await ours.admin.get(`/v1/operations/${String(held.operation_id)}`);
  const grant = (await ours.admin.get(`/v1/capability-tokens/${ours.tokenId}`)).body.grant as JsonValue;
  const child = await ours.admin.must(`/v1/capability-tokens/${ours.tokenId}/attenuate`, { grant });
  const session = await ours.admin.must('/v1/sessions', {
    agent_id: ours.agentId,
    workspace_id: ours.workspaceId,
    capability_token_id: ours.tokenId,
    model: RECORDED_MODEL,
  });
  const run = await ours.admin.must(`/v1/sessions/${String(session.session_id)}/runs`, { input: 'do it' });
  ids = {
    done: String(done.operation_id),
    held: String(held.operation_id),
    approval: String(operation.approval_id),
    child: String(child.capability_token_id),
    session: String(session.session_id),
    run: String(run.run_id),
  };
  await ours.until(ids.done, ['committed', 'no_op']);
  // Nothing changes while answers are compared.
  await eventually('the run has ended', async () => {
    const { body } = await ours.admin.get(`/v1/runs/${ids.run}`);
    return body.state === 'ended';
  });
  expect(ids.approval).toMatch(/^apr_/);
});

/** A request that expands, and the route that shows the same. */
interface Case {
  readonly at: () => string;
  readonly name: string;
  readonly own: (item: JsonValue) => string;
  readonly part?: string;
}
const operationOf = (item: JsonValue): string => `/v1/operations/${String(item.operation_id)}`;
const approvalOf = (item: JsonValue): string => `/v1/approvals/${String(item.approval_id)}`;
const CASES: readonly Case[] = [
  { at: () => `/v1/operations/${ids.done}`, name: 'result', own: operationOf, part: 'result' },
  { at: () => `/v1/operations/${ids.done}`, name: 'receipt', own: (item) => `${operationOf(item)}/receipt` },
  { at: () => `/v1/operations/${ids.held}`, name: 'approval', own: approvalOf },
  { at: () => '/v1/operations', name: 'result', own: operationOf, part: 'result' },
  { at: () => '/v1/operations', name: 'receipt', own: (item) => `${operationOf(item)}/receipt` },
  { at: () => '/v1/operations', name: 'approval', own: approvalOf },
  { at: () => `/v1/approvals/${ids.approval}`, name: 'operation', own: operationOf },
  { at: () => '/v1/approvals', name: 'operation', own: operationOf },
  {
    at: () => `/v1/capability-tokens/${ids.child}`,
    name: 'agent',
    own: (item) => `/v1/agents/${String(item.agent_id)}`,
  },
  { at: () => '/v1/capability-tokens', name: 'agent', own: (item) => `/v1/agents/${String(item.agent_id)}` },
  {
    at: () => `/v1/capability-tokens/${ours.tokenId}`,
    name: 'children',
    own: (item) => `/v1/capability-tokens?parent_id=${String(item.capability_token_id)}`,
  },
  { at: () => `/v1/runs/${ids.run}`, name: 'session', own: (item) => `/v1/sessions/${String(item.session_id)}` },
];
const CALLERS: Readonly<Record<string, () => Api>> = {
  admin: () => ours.admin,
  operator: () => ours.operator,
  auditor: () => ours.auditor,
  agent: () => ours.agent,
  'another agent': () => other,
  'an administrator of another tenant': () => theirs.admin,
  'an agent of another tenant': () => theirs.agent,
};

describe.each(Object.keys(CALLERS))('%s', (who) => {
  test('sees of an expansion exactly what the route of its own answers', async () => {
    const api = CALLERS[who]!();
    for (const { at, name, own, part } of CASES) {
      const here = [who, at(), name];
      const plain = await api.get(at());
      const answer = await api.get(`${at()}?expand=${name}`);
      const items = ((plain.body.items as JsonValue[] | undefined) ?? [plain.body]) as JsonValue[];
      if (plain.status !== 200) {
        expect([...here, answer.status >= 400, answer.text.includes('"expanded"')]).toEqual([...here, true, false]);
        continue;
      }
      const shown = await Promise.all(
        items.map((item) => (String(own(item)).includes('/null') ? null : api.get(own(item)))),
      );
      if (answer.status === 403) {
        // A role that the other route doesn't allow at all.
        const probe = await api.get(own(items[0] ?? { operation_id: ids.held, approval_id: ids.approval }));
        expect([...here, answer.body.code, probe.status]).toEqual([...here, 'auth.role', 403]);
        continue;
      }
      expect([...here, answer.status]).toEqual([...here, 200]);
      for (const [n, item] of ((answer.body.items as JsonValue[] | undefined) ?? [answer.body]).entries()) {
        const of = shown[n];
        const value = of?.status === 200 ? (part === undefined ? of.body : of.body[part]) : null;
        expect([...here, item.expanded]).toEqual([...here, { [name]: value }]);
      }
    }
  });
});

test('the client asks for expansions by name, and several at once', async () => {
  const writ = new Writ({ url, apiKey: ours.admin.key ?? '' });
  const operation = await writ.operations.get(ids.held, { expand: 'approval,receipt' });
  expect(operation.expanded?.approval?.approval_id).toBe(ids.approval);
  const refused = await ours.admin.get(`/v1/operations/${ids.held}?expand=aproval`);
  expect(refused).toMatchObject({ status: 400, body: { code: 'query.invalid' } });
  expect(refused.body.detail).toContain('this route expands `result`, `approval`, `receipt`');
});
