// SPDX-License-Identifier: Apache-2.0
import { parseKeySet, ReceiptError, verifyReceiptFile, type KeySet } from '@writ/receipt';
import { Failure } from '../failure.ts';
import { SmokeApi, type Answer } from './api.ts';

export interface SmokeOptions {
  /** Where the API is. */
  readonly url: string;
  readonly platformKey: string;
  /** The text of `public-keys.json`: from the one who runs the deployment, not from the API that is tested. */
  readonly keys: string;
  /** How long it may take until the API is there and the receipt is logged, in milliseconds. */
  readonly waitMs: number;
  readonly say: (line: string) => void;
}

/** Writes one file in a sandbox of its own: every process has a part in it. */
const CONTENT = 'it works';
const FILE = 'smoke.txt';
const COMMAND = `printf '${CONTENT}' > ${FILE}`;
const TOKEN_MS = 3_600_000;
/** How long one request waits for the end of the call, in milliseconds. */
const CALL_WAIT_MS = 30_000;

interface World {
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
async function makeWorld(api: SmokeApi, platformKey: string): Promise<World> {
  // A name of a tenant has no colon.
  const name = `smoke test ${new Date().toISOString().replaceAll(':', '-')}`;
  const tenant = await api.ask('POST', '/v1/tenants', { key: platformKey, body: { name } });
  const adminKey = textOf(tenant, 'api_key');
  const make = async (path: string, body: unknown, member: string): Promise<string> =>
    textOf(await api.ask('POST', path, { key: adminKey, body }), member);
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

/** Makes the call, and waits for its end. The idempotency key makes it one, however often it is sent. */
async function runCall(api: SmokeApi, { agentKey, workspaceId, tokenId }: World): Promise<string> {
  const call = {
    tool_id: 'shell.run',
    args: { command: COMMAND },
    capability_token_id: tokenId,
    workspace_id: workspaceId,
    idempotency_key: 'smoke',
  };
  const answer = await api.ask('POST', `/v1/tool-calls?wait=${CALL_WAIT_MS}`, { key: agentKey, body: call });
  const operationId = textOf(answer, 'operation_id');
  const result = answer.status === 200 ? answer : await resultOf(api, operationId, call, agentKey);
  const outcome = result.body['tx_outcome'];
  if (outcome !== 'committed') throw new Failure(`the call ended \`${String(outcome)}\`: ${result.text}`);
  return operationId;
}

/** Sent again, a call answers with its result once it has ended. */
async function resultOf(api: SmokeApi, operationId: string, call: unknown, key: string): Promise<Answer> {
  await api.ask('GET', `/v1/operations/${operationId}?wait=${CALL_WAIT_MS}`, { key });
  const answer = await api.ask('POST', `/v1/tool-calls?wait=${CALL_WAIT_MS}`, { key, body: call });
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
 * Makes one call through the API, from a new tenant to the receipt, and verifies it against the keys that are given.
 * The tenant stays: nothing of a log is ever taken away.
 *
 * @returns what was seen, in a sentence
 * @throws Failure that says which step failed and what the API answered
 */
export async function runSmoke({ url, platformKey, keys, waitMs, say }: SmokeOptions): Promise<string> {
  const now = (): number => performance.now();
  const api = new SmokeApi(url, now() + waitMs, now);
  const keySet = parseKeys(keys);
  await api.ask('GET', '/readyz');
  say(`the API at ${url} is ready`);
  const world = await makeWorld(api, platformKey);
  say('a tenant, an agent, a workspace and a capability token are made');
  const operationId = await runCall(api, world);
  say(`a command ran in a sandbox and committed: ${operationId}`);
  const file = await api.ask('GET', `/v1/workspaces/${world.workspaceId}/files/${FILE}`, { key: world.adminKey });
  if (file.text !== CONTENT)
    throw new Failure(`the workspace's \`${FILE}\` has not what the command wrote: ${file.text}`);
  const receipt = await api.ask('GET', `/v1/operations/${operationId}/receipt`, {
    key: world.adminKey,
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
