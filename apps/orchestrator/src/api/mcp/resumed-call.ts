// SPDX-License-Identifier: Apache-2.0
import {
  inputRequired,
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { Fault, isFinal, type OperationView } from '@writ/contract';
import { cancelsByClosing, waitMsOf, type CallContext, type CallToolParts, type Round } from './call-context.ts';
import { heldInWords } from './call-result.ts';
import type { CalledOperations } from './called-operations.ts';
import { lacksConsent } from './consent-pages.ts';
import { digestOfAsked, type GivenAnswers, type HeldState } from './held-state.ts';
import { askedOf, canBeAsked, keptAnswers, NO_ANSWERS, questionIn } from './mount/server-questions.ts';
import { createdTask } from './tasks.ts';

/**
 * A call that goes on in a later request of its client: what the client is asked, and what its answer continues. An
 * answer approves nothing, see `CallTool`: the kernel's state of the operation decides how it goes on.
 */
export class ResumedCall {
  readonly #parts: Pick<CallToolParts, 'kernel' | 'states' | 'consents'>;
  readonly #operations: CalledOperations;

  constructor(parts: Pick<CallToolParts, 'kernel' | 'states' | 'consents'>, operations: CalledOperations) {
    this.#parts = parts;
    this.#operations = operations;
  }

  /**
   * A question of the server goes to the client, and so does the page for a missing consent. A held call is asked about
   * where the client can. Any other that has not ended becomes a task where the client takes one, and is answered as it
   * is otherwise.
   * @param more what the state of a held call says of it
   */
  async answer(
    context: CallContext,
    view: OperationView,
    given: GivenAnswers = NO_ANSWERS,
    more: Pick<HeldState, 'follows'> = {},
  ): Promise<CallToolResult | InputRequiredResult> {
    const question = questionIn(view);
    if (question !== null && canBeAsked(question, context.asks))
      return askedOf(view, question, await this.#state(context, view, { asks: true }));
    const answers = keptAnswers(given, context.asks);
    const took = answers === undefined ? {} : { answers };
    const page = context.canOpenPages ? await this.#parts.consents.of(context.access.caller, view) : null;
    if (page !== null) {
      const connection = page.connectionId;
      return inputRequired({
        inputRequests: page.requests,
        requestState: await this.#state(context, view, { connection, ...took }),
      });
    }
    if (view.state !== 'held' || !context.canElicit) return await this.#unasked(context, view);
    const requestState = await this.#state(context, view, { ...took, ...more });
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
    { request, asked, serverDigest }: CallContext,
    { operation_id }: OperationView,
    more: Pick<HeldState, 'asks' | 'connection' | 'answers' | 'follows'>,
  ) {
    const of = await digestOfAsked(asked);
    const server = serverDigest === null ? {} : { server: serverDigest };
    return await this.#parts.states.mint({ operation_id, of, ...server, ...more }, request);
  }

  async #unasked({ canTakeTasks, results }: CallContext, view: OperationView): Promise<CallToolResult> {
    return canTakeTasks && !isFinal(view.state) ? createdTask(view) : await results.of(view);
  }

  /**
   * Continues an operation that was held. Of the client's answer only this is read: whether it goes on waiting. A
   * request without that answer is asked again.
   */
  async resume(
    request: CallContext,
    { operation_id, answers, server, follows }: HeldState,
    meta: CallToolRequest['params']['_meta'],
  ): Promise<CallToolResult | InputRequiredResult> {
    // What asks is the server as it was when the call was made.
    const context = { ...request, serverDigest: server ?? null };
    const { caller } = context.access;
    const { results } = context;
    const answer = answerOf(context.request, 'approval');
    const waitMs = answer === 'accept' ? waitMsOf(context) : 0;
    try {
      const view = await this.#parts.kernel.ask('operation.read', caller, { operation_id });
      const settled = await this.#operations.waited(context.access, view, waitMs);
      // The call that follows another has a key of Writ's, by which its client repeats it.
      if (answer === 'accept' && follows !== true && cancelsByClosing(context, meta))
        return await results.of(await this.#operations.cancelled(caller, settled));
      // A call that waits on is not asked about twice in one request. Its server may ask once it has run.
      const leadsToPage = answer === 'accept' && lacksConsent(settled);
      if (answer === null || questionIn(settled) !== null || leadsToPage)
        return await this.answer(context, settled, answers, follows === true ? { follows } : {});
      return answer === 'accept' ? await this.#unasked(context, settled) : await results.of(settled);
    } catch (error) {
      if (error instanceof Fault) return results.fault(error, operation_id);
      throw error;
    }
  }

  /** Whether the person of a refused call has connected by now. Only the kernel says so, and never the client. */
  async hasConsented({ access, request, leftMs }: Round, { connection: id = '' }: HeldState): Promise<boolean> {
    if (answerOf(request, 'connect') !== 'accept') return false;
    return await this.#parts.consents.isGiven(access.caller, id, leftMs, access.gone);
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
