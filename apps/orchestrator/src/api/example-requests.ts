// SPDX-License-Identifier: Apache-2.0
// An example of each request that has a body, with ids that nothing has.
import { EXAMPLE_IDS as ID } from '../edge/openapi/example-of.ts';
import { EXAMPLE_HASH } from '../edge/openapi/example-values.ts';
import { DEVICE_GRANT } from './sign-in/device-flow.ts';

const { agent: agent_id, workspace: workspace_id, token: capability_token_id, operation: operation_id } = ID;
const HOUR_MS = 3_600_000;
/** In 2096, so that the example is good for long. */
const FAR = 4_000_000_000_000;
const where = { agent_id, capability_token_id, workspace_id };

const grant = {
  tools: ['fs.*'],
  fs: [{ path: 'src', read: true, write: true }],
  net: [],
  secrets: [],
  budgets: { calls: 100 },
  not_before: 0,
  expires_at: FAR,
};
const envelope = {
  payloadType: 'application/vnd.in-toto+json',
  payload: 'e30=',
  signatures: [{ keyid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k', sig: 'AAAA' }],
};
const proof = { permit: envelope, nonce: '0'.repeat(32) };
const provider = { name: 'people', issuer: 'https://login.example.org', sign_in: { client_id: 'writ' } };
const job = {
  ...{ name: 'nightly', cron: '0 3 * * *', time_zone: 'Europe/Berlin', input: 'Fix the tests', model: 'recorded' },
  ...{ workspace_id, capability_token_id },
};
const hook = { name: 'pager', url: 'https://example.org/hooks', events: ['approval.pending', 'operation.ambiguous'] };
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const OPENAPI = `openapi: 3.1.0
info: {title: Shop, version: '1'}
servers: [{url: 'https://shop.example.org'}]
paths:
  /orders:
    get: {operationId: listOrders, summary: Lists orders, responses: {'200': {description: The orders}}}
`;

const OF_CALLS: Readonly<Record<string, unknown>> = {
  proposeToolCall: { tool_id: 'fs.read', args: { path: 'src/a.txt' }, ...where },
  runTurn: {
    ...{ dialect: 'blocks', output: '[TOOL_CALL:a] {"action":"fs.list"}', session_id: 'ses-1', turn_id: 't1' },
    ...where,
  },
  cancelOperation: {},
  resolveOperation: { outcome: 'committed', note: 'the deployment has the new version' },
  takePermit: {},
  takeOwnPermit: { operation_id },
  redeemPermit: proof,
  renewLease: proof,
  reportFunction: { ...proof, outcome: { outcome: 'succeeded', result: {} } },
  postMcp: ping,
  postMcpWithToken: ping,
  approve: { effect_digest: EXAMPLE_HASH, comment: 'fine' },
  deny: { comment: 'not on a Friday' },
  editApproval: { args: { command: 'rm -rf build' } },
  giveValue: { value: 'hunter2-hunter2' },
  delegateApproval: { to: 'ben', note: 'on holiday', expires_at: FAR },
  createSession: { ...where, model: 'recorded' },
  startRun: { input: 'Fix the tests' },
  cancelRun: {},
  forkRun: { after: 0 },
  replayRun: {},
  createJob: job,
  changeJob: job,
  pauseJob: {},
  resumeJob: {},
  runJob: {},
};

const OF_RULES: Readonly<Record<string, unknown>> = {
  issueToken: { agent_id, workspace_id, grant },
  attenuateToken: { grant: { ...grant, tools: ['fs.read'] } },
  revokeToken: {},
  simulatePolicy: { call: { ...where, tool_id: 'fs.read', args: { path: 'src/a.txt' } } },
  backtestPolicy: {},
  putPolicy: {
    document: {
      ...{ v: 1, name: 'our-team' },
      cedar: '@id("own-files") @reason("files are open") permit (principal, action, resource);',
    },
  },
  activatePolicy: { policy: 'our-team', note: 'reviewed by the team' },
  rollBackPolicy: {},
  putApproverGroup: { name: 'finance', members: ['ann', 'ben'] },
  setCallSettings: { denied_paths: ['**/.ssh'] },
  setBudget: { subject: { kind: 'agent', id: agent_id }, period: 'day', measure: 'calls', limit: 1_000 },
  placeFreeze: { scope: 'tool', id: 'fs.search', reason: 'nightly maintenance' },
  liftFreeze: {},
  createResource: {
    ...{ kind: 'search_engine', name: 'default' },
    settings: { kind: 'searxng', url: 'https://searx.example.org' },
  },
  updateResource: { settings: { kind: 'searxng', url: 'https://search.example.org' }, expected_version: 1 },
  setResourceGrant: { kind: 'search_engine', resource_id: null, right: 'use', agent_id, clearance: 'soft_gate' },
  setExternalVersion: { ref: 'deployment:shop', version: 'v1', expected_version: null },
  setSecret: { name: 'NPM_TOKEN', value: 'npm_0123456789', note: 'of the registry' },
  createExecutionProfile: {
    ...{ name: 'ops', shells: ['Bash'] },
    limits: { wall_ms: 60_000, memory_bytes: 268_435_456 },
  },
  putSandbox: { name: 'build', workspace_id },
  signSandbox: { envelope: { ...envelope, payloadType: 'application/vnd.writ.sandbox.v1+json' } },
  addRegistrarKey: { public_key: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } },
  retireRegistrarKey: {},
  revokeRegistrarKey: {},
  applyTools: { tools: [{ name: 'look', description: 'Looks.', category: 'read', cmd: 'ls' }] },
  importOpenApi: { document: OPENAPI, options: { name: 'shop' } },
  putSkill: { files: [{ path: 'SKILL.md', content: '---\nname: release\ndescription: how to release\n---\n' }] },
  createImage: { name: 'tools', source: { recipe: { pip: [{ name: 'six', version: '1.16.0' }] } } },
  killContainer: {},
  refreshMcpServer: {},
  acceptMcpServerTools: { tools: [{ name: 'look', digest: EXAMPLE_HASH }] },
  refuseMcpServerTools: { tools: [{ name: 'look', digest: EXAMPLE_HASH }] },
  askMcpConnection: {},
  askListingMcpConnection: {},
};

const OF_ADMINISTRATION: Readonly<Record<string, unknown>> = {
  createTenant: { name: 'shop' },
  closeTenant: { reason: 'the contract has ended' },
  setTenantLimits: { weight: 2 },
  createApiKey: { name: 'reviewer', role: 'agent', agent_id },
  rotateApiKey: { overlap_ms: HOUR_MS },
  rotateOwnApiKey: { overlap_ms: HOUR_MS },
  putIdentityProvider: provider,
  putTenantIdentityProvider: provider,
  denyTokens: { subject: 'ann-1' },
  createServiceAccount: { name: 'nightly' },
  changeMember: { state: 'suspended' },
  createInvitation: { email: 'ann@example.org', role: 'operator' },
  linkIdentity: { provider: 'people', subject: 'ann-1' },
  offboardMember: { reason: 'left the company' },
  createDeviceAuthorization: { client_id: 'cli', tenant: ID.tenant },
  issueAccessToken: { grant_type: DEVICE_GRANT, client_id: 'cli', device_code: 'device-code' },
  createAgent: { name: 'reviewer' },
  createWorkspace: { name: 'shop' },
  setWorkspaceLimits: { files_max: 10_000 },
  restoreWorkspace: { at: `snap_${EXAMPLE_HASH}` },
  uploadFiles: { files: [{ path: 'src/b.txt', content: 'hello\n' }] },
  erase: { operation_id, reason_code: 'asked' },
  setRetention: { payload_days: 30, output_days: null },
  createChannel: {
    name: 'on call',
    kind: 'slack',
    slack: { conversation: 'C0123456789', bot_token: 'xoxb-replace-with-yours' },
  },
  changeChannel: { state: 'disabled' },
  createWebhook: hook,
  changeWebhook: { ...hook, state: 'active' },
  rotateWebhookSecret: {},
  pingWebhook: {},
  redeliver: {},
};

/** The body of each route that has one, by the id of the route. */
export const EXAMPLE_REQUESTS: Readonly<Record<string, unknown>> = { ...OF_CALLS, ...OF_RULES, ...OF_ADMINISTRATION };
