// SPDX-License-Identifier: Apache-2.0
import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import { Fault, isId, MCP_INPUT, type OperationId, type OperationView } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { parseCall } from '../../calls/parse-call.ts';
import {
  cancelsByClosing,
  WAIT_MS,
  waitMsOf,
  type CallContext,
  type CallToolParts,
  type Round,
} from './call-context.ts';
import { CalledOperations } from './called-operations.ts';
import { lacksConsent } from './consent-pages.ts';
import type { HeldState } from './held-state.ts';
import {
  answersIn,
  argsWithInput,
  inputFor,
  questionGone,
  questionIn,
  requireSameServer,
} from './mount/server-questions.ts';
import { bodyOf, META, originOf } from './proposed-body.ts';
import { readState } from './read-state.ts';
import { reportProgress } from './report-progress.ts';
import { ResumedCall } from './resumed-call.ts';
import type { Results } from './results.ts';

/**
 * Calls tools for MCP clients. Each call is an ordinary operation: the kernel decides it, and records it.
 *
 * INVARIANT (the stored approval decides): nothing that a client answers approves a call, or gives it a value. An
 * answer only says that the client's user has seen that the call waits. What a server asks for is answered by another
 * call, which is decided as any.
 */
export class CallTool {
  readonly #parts: CallToolParts;
  readonly #operations: CalledOperations;
  readonly #resumed: ResumedCall;

  constructor(parts: CallToolParts) {
    this.#parts = parts;
    this.#operations = new CalledOperations(parts);
    this.#resumed = new ResumedCall(parts, this.#operations);
  }

  /** Never rejects with a fault: it becomes a result with `isError`. @throws ProtocolError for a malformed request */
  async run(context: CallContext, params: CallToolRequest['params']): Promise<CallToolResult | InputRequiredResult> {
    const state = await readState(this.#parts.states, context.request, context.asked);
    if (state !== undefined && state.asks !== true && state.connection === undefined)
      return await this.#resumed.resume(context, state, params._meta);
    const operationId = newId('operation');
    const { monotonic } = this.#parts;
    const start = monotonic();
    const round = { ...context, leftMs: () => Math.max(0, Math.floor(WAIT_MS - (monotonic() - start))) };
    try {
      if (state?.connection !== undefined && !(await this.#resumed.hasConsented(round, state)))
        return await context.results.of(await this.#operations.read(context.access.caller, state.operation_id));
      return await this.#made(round, operationId, params, state);
    } catch (error) {
      if (error instanceof Fault) return context.results.fault(error, operationId);
      throw error;
    }
  }

  /** Proposes the call, with the client's answers to its server. What is left unanswered is asked again. */
  async #made(
    round: Round,
    operationId: OperationId,
    params: CallToolRequest['params'],
    state: HeldState | undefined,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { access, request, asks, serverDigest } = round;
    requireSameServer(state, serverDigest);
    const answers = answersIn(state, request);
    const { question: id, responses } = answers;
    let args = argsWithInput(params.arguments ?? {}, responses, asks);
    if (id !== null) {
      const asked = await this.#operations.read(access.caller, id);
      const question = questionIn(asked);
      if (question === null || asks === null) throw questionGone(id);
      const input = inputFor(question, responses, asks);
      if (input === null) return await this.#resumed.answer(round, asked);
      args = { ...params.arguments, [MCP_INPUT]: input };
    }
    const made = { ...params, arguments: args };
    const propose = (after: string | undefined): Promise<OperationView> =>
      this.#proposed(round, operationId, made, after === undefined ? undefined : this.#parts.answerKey(after));
    // INVARIANT (made once): one call alone follows an operation, however often its state comes back. A client's own
    // key stays that of its call, because a refusal claims none. One that was refused after it waited keeps its key.
    const isKeyed = params._meta?.[META.idempotencyKey] !== undefined;
    const before = id ?? (isKeyed ? undefined : state?.operation_id);
    let view = await propose(before);
    // What is not reached in time is asked again, as the page for the refusal that was reached.
    const goesOn = (): boolean => !access.gone.aborted && round.leftMs() > 0;
    while (state?.connection !== undefined && view.replayed && lacksConsent(view) && goesOn())
      view = await propose(view.operation_id);
    return await this.#resumed.answer(round, view, answers, before === undefined ? {} : { follows: true });
  }

  /** The outcome of an earlier call: waits for its end up to `WAIT_MS`. */
  async wait({ access, results }: CallContext, operationId: unknown): Promise<CallToolResult> {
    return await this.#ofOperation(results, operationId, async (operation_id) => {
      const view = await this.#parts.kernel.ask('operation.read', access.caller, { operation_id });
      return await this.#operations.waited(access, view, WAIT_MS);
    });
  }

  /** Cancels an earlier call, unless its effect has begun. */
  async cancel({ access, results }: CallContext, operationId: unknown): Promise<CallToolResult> {
    return await this.#ofOperation(results, operationId, (operation_id) =>
      this.#parts.kernel
        .ask('operation.cancel', access.caller, { operation_id })
        .then((view) => this.#operations.shown(access.caller, view)),
    );
  }

  async #ofOperation(
    results: Results,
    operationId: unknown,
    run: (operationId: OperationId) => Promise<OperationView>,
  ): Promise<CallToolResult> {
    if (typeof operationId !== 'string' || !isId('operation', operationId))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, '`operation_id` must be the id of an operation');
    try {
      return await results.of(await run(operationId as OperationId));
    } catch (error) {
      if (error instanceof Fault) return results.fault(error, operationId);
      throw error;
    }
  }

  async #proposed(
    round: Round,
    operationId: OperationId,
    { name, arguments: args = {}, _meta: meta = {} }: CallToolRequest['params'],
    key?: string,
  ): Promise<OperationView> {
    const { access, request, client, leftMs } = round;
    const { caller, gone } = access;
    const { propose, queues } = this.#parts;
    queues.verifyNotFull(caller.tenant_id);
    const keyed = key === undefined ? meta : { ...meta, [META.idempotencyKey]: key };
    const body = bodyOf(access, { name, args, meta: keyed, operationId });
    const call = parseCall(body, undefined, caller, originOf(client));
    const progress = reportProgress(request, () => `${name} runs`);
    try {
      let view = await propose.run(caller, operationId, call, { waitMs: Math.min(waitMsOf(round), leftMs()), gone });
      if (view.state === 'held' && !round.canElicit && !round.canTakeTasks) {
        progress.say('a person decides about the call');
        view = await this.#operations.settled(access, view, leftMs());
      }
      return cancelsByClosing(round, keyed)
        ? await this.#operations.cancelled(caller, view)
        : await this.#operations.shown(caller, view);
    } finally {
      progress.stop();
    }
  }
}
