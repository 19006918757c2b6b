// SPDX-License-Identifier: Apache-2.0
import { parseKeySet, ReceiptError, verifyReceiptFile, type KeySet } from '@writ/receipt';
import { Failure } from '../failure.ts';
import { SmokeApi, type Answer } from './smoke-api.ts';

export interface SmokeOptions {
  /** The URL of the API. */
  readonly url: string;
  readonly platformKey: string;
  /** The text of `public-keys.json`: from the operator of the deployment, not from the tested API. */
  readonly keys: string;
  /** The time limit for the API to become ready and the receipt to be logged, in milliseconds. */
  readonly waitMs: number;
  readonly print: (line: string) => void;
}

/** The command writes one file in its own sandbox: every process takes part in it. */
const CONTENT = 'it works';
const FILE = 'smoke.txt';
const COMMAND = `printf '${CONTENT}' > ${FILE}`;
const TOKEN_MS = 3_600_000;
/** How long one request waits for the end of the call, in milliseconds. */
const CALL_WAIT_MS = 30_000;

interface SmokeFixture {
  readonly adminKey: string;
  readonly agentKey: string;
  readonly workspaceId: string;
  readonly tokenId: string;
}

function textOf({ body }: Answer, name: string): string {
  const value = body[name];
  if (typeof value !== 'string') throw new Failure(`the API's answer has no \`${name}\``);
  return value;
}

/** A tenant with an agent, a workspace, and a token for one command. */
async function makeFixture(api: SmokeApi, platformKey: string): Promise<SmokeFixture> {
  // A name of a tenant has no colon.
  const name = `smoke test ${new Date().toISOString().replaceAll(':', '-')}`;
  const tenant = await api.request('POST', '/v1/tenants', { key: platformKey, body: { name } });
  const adminKey = textOf(tenant, 'api_key');
  const make = async (path: string, body: unknown, member: string): Promise<string> =>
    textOf(await api.request('POST', path, { key: adminKey, body }), member);
  const agentId = await make('/v1/agents', { name: 'smoke' }, 'agent_id');
  const agentKey = await make('/v1/api-keys', { name: 'smoke', role: 'agent', agent_id: agentId }, 'api_key');
  const workspaceId = await make('/v1/workspaces', { name: 'smoke' }, 'workspace_id');
  const grant = {
    tools: ['shell.run'],
    fs: [{ path: '', read: true, write: true }],
    net: [],
    secrets: [],
    budgets: { calls: 1 },
    not_before: 0,
    expires_at: Date.now() + TOKEN_MS,
  };
  const token = { agent_id: agentId, workspace_id: workspaceId, grant };
  return {
    adminKey,
    agentKey,
    workspaceId,
    tokenId: await make('/v1/capability-tokens', token, 'capability_token_id'),
  };
}

/** Makes the call and waits for its end. The idempotency key keeps it one call, however often it is sent. */
async function runCall(api: SmokeApi, { agentKey, workspaceId, tokenId }: SmokeFixture): Promise<string> {
  const call = {
    tool_id: 'shell.run',
    args: { command: COMMAND },
    capability_token_id: tokenId,
    workspace_id: workspaceId,
    idempotency_key: 'smoke',
  };
  const answer = await api.request('POST', `/v1/tool-calls?wait=${CALL_WAIT_MS}`, { key: agentKey, body: call });
  const operationId = textOf(answer, 'operation_id');
  const result = answer.status === 200 ? answer : await resultOf(api, operationId, call, agentKey);
  const outcome = result.body['tx_outcome'];
  if (outcome !== 'committed') throw new Failure(`the call ended \`${String(outcome)}\`: ${result.text}`);
  return operationId;
}

/** A repeated call returns its result once it has ended. */
async function resultOf(api: SmokeApi, operationId: string, call: unknown, key: string): Promise<Answer> {
  await api.request('GET', `/v1/operations/${operationId}?wait=${CALL_WAIT_MS}`, { key });
  const answer = await api.request('POST', `/v1/tool-calls?wait=${CALL_WAIT_MS}`, { key, body: call });
  if (answer.status === 200) return answer;
  throw new Failure(`the call has not ended after ${(2 * CALL_WAIT_MS) / 1_000} s: ${answer.text}`);
}

const isPending = ({ body }: Answer): boolean => body['code'] === 'receipt.pending';

function verify(receipt: string, keys: KeySet, operationId: string): string {
  try {
    const { deployment, checkpoint } = verifyReceiptFile(receipt, keys, { operationId });
    return `the receipt of ${operationId} verifies: deployment ${deployment}, log of ${checkpoint.treeSize} records`;
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    throw new Failure(`the receipt of ${operationId} doesn't verify: ${error.check}: ${error.message}`, error);
  }
}

/**
 * Makes one call through the API, from a new tenant to the receipt, and verifies the receipt with the given keys. The
 * tenant stays: records are never removed from a log.
 *
 * @returns what was verified, in a sentence
 * @throws Failure that names the failed step and the API's answer
 */
export async function runSmoke({ url, platformKey, keys, waitMs, print }: SmokeOptions): Promise<string> {
  const now = (): number => performance.now();
  const api = new SmokeApi(url, now() + waitMs, now);
  const keySet = parseKeys(keys);
  await api.request('GET', '/readyz');
  print(`the API at ${url} is ready`);
  const fixture = await makeFixture(api, platformKey);
  print('a tenant, an agent, a workspace and a capability token are made');
  const operationId = await runCall(api, fixture);
  print(`a command ran in a sandbox and committed: ${operationId}`);
  const file = await api.request('GET', `/v1/workspaces/${fixture.workspaceId}/files/${FILE}`, {
    key: fixture.adminKey,
  });
  if (file.text !== CONTENT)
    throw new Failure(`the workspace's \`${FILE}\` differs from what the command wrote: ${file.text}`);
  const receipt = await api.request('GET', `/v1/operations/${operationId}/receipt`, {
    key: fixture.adminKey,
    isWorthRetry: isPending,
  });
  return verify(receipt.text, keySet, operationId);
}

function parseKeys(text: string): KeySet {
  try {
    return parseKeySet(text);
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    throw new Failure(`the file of public keys can't be read: ${error.message}`, error);
  }
}
