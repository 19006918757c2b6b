// SPDX-License-Identifier: Apache-2.0
import {
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import {
  Fault,
  isFinal,
  isId,
  MCP_INPUT,
  type Caller,
  type McpAsk,
  type OperationId,
  type OperationView,
} from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { Follow } from '../../calls/follow.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { parseCall } from '../../calls/parse-call.ts';
import type { Propose } from '../../calls/propose.ts';
import type { ShowOperation } from '../../calls/show-operation.ts';
import type { FullQueues } from '../../edge/access/full-queues.ts';
import { heldInWords } from './call-result.ts';
import type { McpConnection } from './connection.ts';
import { lacksConsent, type ConsentPages } from './consent-pages.ts';
import { digestOfAsked, type Asked, type GivenAnswers, type HeldState } from './held-state.ts';
import {
  answersIn,
  askedOf,
  canBeAsked,
  inputFor,
  keptAnswers,
  NO_ANSWERS,
  questionGone,
  questionIn,
  withInput,
} from './mount/server-questions.ts';
import { bodyOf, META, originOf } from './proposed-body.ts';
import { readState } from './read-state.ts';
import { reportProgress } from './report-progress.ts';
import type { Results } from './results.ts';
import { createdTask, TASK_AFTER_MS } from './tasks.ts';

/**
 * Longest wait for a call's end, in milliseconds. Clients give up after 60 s by default; so the stored operation is the
 * answer a little earlier.
 */
export const WAIT_MS = 55_000;

/** How a call is made. */
export interface CallToolParts {
  readonly kernel: KernelClient;
  readonly propose: Pick<Propose, 'run'>;
  readonly follow: Follow;
  readonly show: Pick<ShowOperation, 'view'>;
  readonly queues: Pick<FullQueues, 'verifyNotFull'>;
  readonly states: RequestStateCodec<HeldState>;
  /** the idempotency key of the one call that follows an operation: with answers to its question, or after a consent */
  readonly answerKey: (operationId: string) => string;
  readonly consents: ConsentPages;
  /** milliseconds */
  readonly monotonic: () => number;
}

/** What one call is made under. */
export interface CallContext {
  readonly connection: McpConnection;
  readonly request: ServerContext;
  /** what is asked for, by which a later round is known */
  readonly asked: Asked;
  /** the client as it names itself, as a word of provenance */
  readonly client: string | undefined;
  /** whether the request is of the stateless revision */
  readonly isModern: boolean;
  /** whether the client can ask its user */
  readonly canElicit: boolean;
  /** whether the client can show its user a page */
  readonly canOpenPages: boolean;
  /** what the server of the tool may ask this client for; null: no question of a server is passed on */
  readonly asks: readonly McpAsk[] | null;
  /** whether a call that takes long may be answered with a task */
  readonly canTakeTasks: boolean;
  /** the shape of answers */
  readonly results: Results;
}

/** One request. All that it waits for takes no longer than `WAIT_MS` together. */
interface Round extends CallContext {
  /** whole milliseconds that are left */
  readonly leftMs: () => number;
}

/**
 * Calls tools for MCP clients. Each call is an ordinary operation: the kernel decides it, and records it.
 *
 * INVARIANT (the stored approval decides): nothing that a client answers approves a call, or gives it a value. An
 * answer only says that the client's user has seen that the call waits. What a server asks for is answered by another
 * call, which is decided as any.
 */
export class CallTool {
  readonly #parts: CallToolParts;

  constructor(parts: CallToolParts) {
    this.#parts = parts;
  }

  /** Never rejects with a fault: it becomes a result with `isError`. @throws ProtocolError for a malformed request */
  async run(context: CallContext, params: CallToolRequest['params']): Promise<CallToolResult | InputRequiredResult> {
    const state = await readState(this.#parts.states, context.request, context.asked);
    if (state !== undefined && state.asks !== true && state.connection === undefined)
      return await this.#resume(context, state, params._meta);
    const operationId = newId('operation');
    const { monotonic } = this.#parts;
    const start = monotonic();
    const round = { ...context, leftMs: () => Math.max(0, Math.floor(WAIT_MS - (monotonic() - start))) };
    try {
      if (state?.connection !== undefined && !(await this.#hasConsented(round, state)))
        return await context.results.of(await this.#read(context.connection.caller, state.operation_id));
      return await this.#made(round, operationId, params, state);
    } catch (error) {
      if (error instanceof Fault) return context.results.fault(error, operationId);
      throw error;
    }
  }

  /** Whether the person of a refused call has connected by now. Only the kernel says so, and never the client. */
  async #hasConsented({ connection, request, leftMs }: Round, { connection: id = '' }: HeldState): Promise<boolean> {
    if (answerOf(request, 'connect') !== 'accept') return false;
    return await this.#parts.consents.isGiven(connection.caller, id, leftMs, connection.gone);
  }

  /** Proposes the call, with the client's answers to its server. What is left unanswered is asked again. */
  async #made(
    round: Round,
    operationId: OperationId,
    params: CallToolRequest['params'],
    state: HeldState | undefined,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { connection, request, asks } = round;
    const answers = answersIn(state, request);
    const { question: id, responses } = answers;
    let args = withInput(params.arguments ?? {}, responses, asks);
    if (id !== null) {
      const asked = await this.#read(connection.caller, id);
      const question = questionIn(asked);
      if (question === null || asks === null) throw questionGone(id);
      const input = inputFor(question, responses, asks);
      if (input === null) return await this.#answer(round, asked);
      args = { ...params.arguments, [MCP_INPUT]: input };
    }
    const made = { ...params, arguments: args };
    const propose = (after: string | undefined): Promise<OperationView> =>
      this.#proposed(round, operationId, made, after === undefined ? undefined : this.#parts.answerKey(after));
    // INVARIANT (made once): one call alone follows an operation, however often its state comes back. A client's own
    // key stays that of its call, because a refusal claims none. One that was refused after it waited keeps its key.
    const isKeyed = params._meta?.[META.idempotencyKey] !== undefined;
    let view = await propose(id ?? (isKeyed ? undefined : state?.operation_id));
    while (state?.connection !== undefined && view.replayed && lacksConsent(view))
      view = await propose(view.operation_id);
    return await this.#answer(round, view, answers);
  }

  /** The outcome of an earlier call: waits for its end up to `WAIT_MS`. */
  async wait({ connection, results }: CallContext, operationId: unknown): Promise<CallToolResult> {
    return await this.#ofOperation(results, operationId, async (operation_id) => {
      const view = await this.#parts.kernel.ask('operation.read', connection.caller, { operation_id });
      return await this.#waited(connection, view, WAIT_MS);
    });
  }

  /** Cancels an earlier call, unless its effect has begun. */
  async cancel({ connection, results }: CallContext, operationId: unknown): Promise<CallToolResult> {
    return await this.#ofOperation(results, operationId, (operation_id) =>
      this.#parts.kernel
        .ask('operation.cancel', connection.caller, { operation_id })
        .then((view) => this.#shown(connection.caller, view)),
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
    const { connection, request, client, leftMs } = round;
    const { caller, gone } = connection;
    const { propose, queues } = this.#parts;
    queues.verifyNotFull(caller.tenant_id);
    const keyed = key === undefined ? meta : { ...meta, [META.idempotencyKey]: key };
    const body = bodyOf(connection, { name, args, meta: keyed, operationId });
    const call = parseCall(body, undefined, caller, originOf(client));
    const progress = reportProgress(request, () => `${name} runs`);
    try {
      let view = await propose.run(caller, operationId, call, { waitMs: Math.min(waitMsOf(round), leftMs()), gone });
      if (view.state === 'held' && !round.canElicit && !round.canTakeTasks) {
        progress.say('a person decides about the call');
        view = await this.#settled(connection, view, leftMs());
      }
      return cancelsByClosing(round, keyed) ? await this.#cancelled(caller, view) : await this.#shown(caller, view);
    } finally {
      progress.stop();
    }
  }

  async #waited(connection: McpConnection, view: OperationView, waitMs: number): Promise<OperationView> {
    return await this.#shown(connection.caller, await this.#settled(connection, view, waitMs));
  }

  async #settled({ caller, gone }: McpConnection, view: OperationView, waitMs: number): Promise<OperationView> {
    if (isFinal(view.state)) return view;
    const { follow } = this.#parts;
    const subscription = follow.subscribe(view.operation_id);
    try {
      return await follow.untilSettled(caller, view, subscription, waitMs, gone);
    } finally {
      subscription.stop();
    }
  }

  /** Cancels the operation of a closed request, unless its effect has begun. Nobody reads the answer. */
  async #cancelled(caller: Caller, view: OperationView): Promise<OperationView> {
    if (isFinal(view.state) || view.replayed) return view;
    try {
      return await this.#parts.kernel.ask('operation.cancel', caller, { operation_id: view.operation_id });
    } catch (error) {
      if (error instanceof Fault) return view;
      throw error;
    }
  }

  /**
   * A question of the server goes to the client, and so does the page for a missing consent. A held call is asked about
   * where the client can. Any other that has not ended becomes a task where the client takes one, and is answered as it
   * is otherwise.
   */
  async #answer(
    context: CallContext,
    view: OperationView,
    given: GivenAnswers = NO_ANSWERS,
  ): Promise<CallToolResult | InputRequiredResult> {
    const question = questionIn(view);
    if (question !== null && canBeAsked(question, context.asks))
      return askedOf(view, question, await this.#state(context, view, { asks: true }));
    const answers = keptAnswers(given, context.asks);
    const took = answers === undefined ? {} : { answers };
    const page = context.canOpenPages ? await this.#parts.consents.of(context.connection.caller, view) : null;
    if (page !== null) {
      const connection = page.connectionId;
      return inputRequired({
        inputRequests: page.requests,
        requestState: await this.#state(context, view, { connection, ...took }),
      });
    }
    if (view.state !== 'held' || !context.canElicit) return await this.#unasked(context, view);
    const requestState = await this.#state(context, view, took);
    return inputRequired({
      inputRequests: {
        approval: inputRequired.elicit({
          message: `${heldInWords(view)} Accept to wait for the decision, or decline to go on without it.`,
          requestedSchema: { type: 'object', properties: {} },
        }),
      },
      requestState,
    });
  }

  /** What the client sends back: it names the operation, and only this client's same request may use it. */
  async #state(
    context: CallContext,
    { operation_id }: OperationView,
    more: Pick<HeldState, 'asks' | 'connection' | 'answers'>,
  ) {
    const of = await digestOfAsked(context.asked);
    return await this.#parts.states.mint({ operation_id, of, ...more }, context.request);
  }

  async #unasked({ canTakeTasks, results }: CallContext, view: OperationView): Promise<CallToolResult> {
    return canTakeTasks && !isFinal(view.state) ? createdTask(view) : await results.of(view);
  }

  /**
   * Continues an operation that was held. Of the client's answer only this is read: whether it goes on waiting. A
   * request without that answer is asked again.
   */
  async #resume(
    context: CallContext,
    { operation_id, answers }: HeldState,
    meta: CallToolRequest['params']['_meta'],
  ): Promise<CallToolResult | InputRequiredResult> {
    const { caller } = context.connection;
    const { results } = context;
    const answer = answerOf(context.request, 'approval');
    const waitMs = answer === 'accept' ? waitMsOf(context) : 0;
    try {
      const view = await this.#parts.kernel.ask('operation.read', caller, { operation_id });
      const settled = await this.#waited(context.connection, view, waitMs);
      // The call that answers a question has a key of Writ's, by which its client repeats it.
      const isAnswer = answers !== undefined && answers.question !== null;
      if (answer === 'accept' && !isAnswer && cancelsByClosing(context, meta))
        return await results.of(await this.#cancelled(caller, settled));
      // A call that waits on is not asked about twice in one request. Its server may ask once it has run.
      if (answer === null || questionIn(settled) !== null) return await this.#answer(context, settled, answers);
      return answer === 'accept' ? await this.#unasked(context, settled) : await results.of(settled);
    } catch (error) {
      if (error instanceof Fault) return results.fault(error, operation_id);
      throw error;
    }
  }

  async #read(caller: Caller, operation_id: string): Promise<OperationView> {
    return await this.#shown(caller, await this.#parts.kernel.ask('operation.read', caller, { operation_id }));
  }

  #shown(caller: Caller, view: OperationView): Promise<OperationView> {
    return this.#parts.show.view(caller, view);
  }
}

/** What the client answered to a question of Writ's own; null where it answered something else. */
function answerOf(
  { mcpReq: { inputResponses } }: ServerContext,
  key: 'approval' | 'connect',
): 'accept' | 'decline' | 'cancel' | null {
  const { action } = (inputResponses?.[key] ?? {}) as { readonly action?: unknown };
  return action === 'accept' || action === 'decline' || action === 'cancel' ? action : null;
}

/**
 * Whether the client has cancelled its request: in the stateless revision it does so by closing it. A call with an
 * idempotency key goes on, since the client can repeat the request after its connection broke: a client gives a key for
 * that, and a call that follows an operation has one.
 */
const cancelsByClosing = (
  { connection: { gone }, isModern }: CallContext,
  meta: Readonly<Record<string, unknown>> = {},
): boolean => gone.aborted && isModern && meta[META.idempotencyKey] === undefined;

/** How long the answer of a call may wait for its end. */
const waitMsOf = ({ canTakeTasks }: CallContext): number => (canTakeTasks ? TASK_AFTER_MS : WAIT_MS);
