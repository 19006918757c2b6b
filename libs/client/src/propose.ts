// SPDX-License-Identifier: Apache-2.0
import type { Call, CallOptions, DecidedCall, SettledCall, WaitOptions } from './calls.ts';
import { CallFailedError, CallRefusedError, TimeoutError } from './errors.ts';
import type { Operation, ToolResult } from './generated/types.ts';
import { newIdempotencyKey } from './idempotency.ts';
import type { RequestOptions } from './options.ts';
import { CallReceipt, type SentCall } from './receipts.ts';
import type { Transport } from './transport.ts';

const WAIT_MS = 30_000;
/** One long poll while a call runs: below the longest that the API allows. */
const POLL_MS = 25_000;
/** Pauses between looks at a held call, for which the API doesn't wait: soon at first, and then seldom. */
const PAUSE_FIRST_MS = 250;
const PAUSE_MAX_MS = 2_000;
/** A record is in the log within a second or so. The time limit of the request ends the retries before. */
const RECEIPT_RETRIES = 100;

/** States in which nothing more happens by itself. */
const FINAL: ReadonlySet<Operation['state']> = new Set(['refused', 'committed', 'rolled_back', 'no_op', 'ambiguous']);

/** The request that a call was made by. */
interface Asked {
  readonly replayed: boolean;
  readonly sent: SentCall;
}

const sentOf = (toolId: string, fields: NonNullable<CallOptions['fields']>): SentCall => ({
  toolId,
  ...(fields.agent_id === undefined ? {} : { agentId: fields.agent_id }),
  ...(fields.capability_token_id === undefined ? {} : { capabilityTokenId: fields.capability_token_id }),
  ...(fields.workspace_id === undefined ? {} : { workspaceId: fields.workspace_id }),
});

/** Makes calls and waits for them. */
export class Calls {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async propose(toolId: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<Call> {
    const { waitMs = WAIT_MS, fields = {}, idempotencyKey = newIdempotencyKey(), ...request } = options;
    const answer = await this.#transport.send(
      {
        method: 'POST',
        path: `/v1/tool-calls?wait=${waitMs}`,
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify({ ...fields, tool_id: toolId, args }),
        canRepeat: true,
      },
      request,
    );
    const asked = { replayed: answer.headers.get('idempotent-replayed') === 'true', sent: sentOf(toolId, fields) };
    const body = (await answer.json()) as ToolResult | Operation;
    if ('state' in body) return this.#of(body, asked);
    if (body.status === 'ok') return this.#made(body.operation_id, asked, { outcome: 'ok', toolResult: body });
    // An error alone doesn't say whether the call ran. The header does, where the server sends it.
    const said = answer.headers.get('writ-outcome');
    if (said === 'refused' || said === 'failed')
      return this.#made(body.operation_id, asked, { outcome: said, ...whyOf(body) });
    return this.#of(await this.#read(body.operation_id, 0, request), asked);
  }

  /** A call by its operation, as it is now. */
  async read(operationId: string, options: RequestOptions): Promise<Call> {
    return this.#of(await this.#read(operationId, 0, options), { replayed: false, sent: {} });
  }

  #of(operation: Operation, asked: Asked): Call {
    const { operation_id, state, result, approval_id, awaits } = operation;
    const made = (more: object): Call => this.#made(operation_id, asked, more);
    if (state === 'held') return made({ outcome: 'held', approvalId: approval_id });
    if (!FINAL.has(state)) return made({ outcome: 'running', awaits: awaits ?? null });
    if (state === 'refused') return made({ outcome: 'refused', ...whyOf(result) });
    return result?.status === 'ok'
      ? made({ outcome: 'ok', toolResult: result })
      : made({ outcome: 'failed', ...whyOf(result), ...(state === 'ambiguous' ? { code: 'effect.ambiguous' } : {}) });
  }

  #made(operationId: string, asked: Asked, more: object): Call {
    const call = { operationId, replayed: asked.replayed, ...more } as Call;
    const settled = async (options: WaitOptions = {}): Promise<SettledCall> =>
      isSettled(call) ? call : await this.#settled(operationId, asked, options);
    return Object.assign(call, {
      settled,
      decided: async (options: WaitOptions = {}) =>
        call.outcome === 'held' ? await this.#decided(operationId, asked, options) : call,
      result: async (options?: WaitOptions) => resultOf(await settled(options)),
      receipt: (options: WaitOptions = {}) => this.#receipt(operationId, asked.sent, options),
      operation: (options: RequestOptions = {}) => this.#read(operationId, 0, options),
      cancel: (options: RequestOptions = {}) => this.#cancel(operationId, options),
    });
  }

  async #settled(operationId: string, asked: Asked, { timeoutMs, ...options }: WaitOptions): Promise<SettledCall> {
    const { now, sleep } = this.#transport.platform;
    const end = timeoutMs === undefined ? Infinity : now() + timeoutMs;
    for (let pause = PAUSE_FIRST_MS; ; pause = Math.min(pause * 2, PAUSE_MAX_MS)) {
      const leftMs = end - now();
      if (leftMs <= 0) throw new TimeoutError(`\`${operationId}\` has not ended within ${String(timeoutMs)} ms`);
      const operation = await this.#read(operationId, Math.min(POLL_MS, leftMs), options);
      const call = this.#of(operation, asked);
      if (isSettled(call)) return call;
      // A call that its proposer runs itself, and a held one, are answered at once.
      await sleep(Math.min(pause, Math.max(0, end - now())), options.signal);
    }
  }

  async #decided(operationId: string, asked: Asked, { timeoutMs, ...options }: WaitOptions): Promise<DecidedCall> {
    const { now, sleep } = this.#transport.platform;
    const end = timeoutMs === undefined ? Infinity : now() + timeoutMs;
    for (let pause = PAUSE_FIRST_MS; ; pause = Math.min(pause * 2, PAUSE_MAX_MS)) {
      const leftMs = end - now();
      if (leftMs <= 0) throw new TimeoutError(`nobody has decided \`${operationId}\` within ${String(timeoutMs)} ms`);
      // The API waits for no decision.
      await sleep(Math.min(pause, leftMs), options.signal);
      const call = this.#of(await this.#read(operationId, 0, options), asked);
      if (call.outcome !== 'held') return call;
    }
  }

  async #read(operationId: string, waitMs: number, options: RequestOptions): Promise<Operation> {
    const path = `/v1/operations/${encodeURIComponent(operationId)}?wait=${Math.floor(waitMs)}`;
    return await this.#json({ method: 'GET', path, canRepeat: true }, options);
  }

  async #cancel(operationId: string, options: RequestOptions): Promise<Operation> {
    const request = {
      method: 'POST',
      path: `/v1/operations/${encodeURIComponent(operationId)}/cancel`,
      headers: { 'content-type': 'application/json' },
      body: '{}',
      // To cancel twice is to cancel once.
      canRepeat: true,
    };
    return await this.#json(request, options);
  }

  async #receipt(operationId: string, sent: SentCall, options: WaitOptions): Promise<CallReceipt> {
    const path = `/v1/operations/${encodeURIComponent(operationId)}/receipt`;
    const request = { method: 'GET', path, canRepeat: true };
    const answer = await this.#transport.send(request, { retries: RECEIPT_RETRIES, ...options });
    return new CallReceipt(await answer.text(), operationId, sent);
  }

  async #json<T>(request: Parameters<Transport['send']>[0], options: RequestOptions): Promise<T> {
    return (await (await this.#transport.send(request, options)).json()) as T;
  }
}

const isSettled = (call: Call): call is SettledCall => call.outcome !== 'held' && call.outcome !== 'running';

function whyOf(result: ToolResult | null): { code: string; hint: string | null; toolResult: ToolResult | null } {
  return { code: result?.error?.code ?? 'internal', hint: result?.error?.hint ?? null, toolResult: result };
}

function resultOf(call: SettledCall): unknown {
  if (call.outcome === 'ok') return call.toolResult.result;
  const { toolResult, operationId, code, hint } = call;
  const why = `${toolResult?.error?.message ?? 'no result is stored'} [${code}]${hint === null ? '' : `: ${hint}`}`;
  throw call.outcome === 'refused'
    ? new CallRefusedError(operationId, toolResult, `the call was refused: ${why}`)
    : new CallFailedError(operationId, toolResult, `the call failed: ${why}`);
}
