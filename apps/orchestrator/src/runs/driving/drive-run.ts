// SPDX-License-Identifier: Apache-2.0
//
// Drives one run, from its claim to its end or its pause.
//
// INVARIANT (durable first): an event is durable before anything follows from it, except a request to the model. Of an
// answered call, the call itself is durable.
// INVARIANT (fenced): a replica that lost the lease changes nothing more; the store enforces this.
// INVARIANT (once): a call is identified by its position in the run, see run-call.ts.
import {
  applyEvent,
  costOf,
  runAgent,
  TextModel,
  touchesOf,
  type AgentOutcome,
  type HeldCall,
  type Model,
  type ModelCall,
  type RunEvent,
  type RunState,
} from '@writ/agent-loop';
import { Fault, type Caller, type FaultCode } from '@writ/contract';
import type { TextDialect } from '@writ/dialects';
import type { KeptEvent, RunStopped } from '../../store/session-rows/run-events.ts';
import {
  LeaseLost,
  type Appended,
  type OpenRun,
  type RunClaim,
  type RunPrompt,
  type RunSums,
} from '../../store/session-rows/sessions.ts';
import { conversationAfter, foldRun, textDialectOf } from '../conversations/conversation.ts';
import type { ConfiguredModel } from '../models/models-file.ts';
import { RunInterrupted } from './run-interrupted.ts';
import type { DriveParts } from './drive-parts.ts';
import { OrchestrationOverhead, TimedModel } from './orchestration-overhead.ts';
import { maxCostOf, ReservedModel, type ReplyBound } from '../models/reserved-model.ts';
import { runCall } from './run-call.ts';
import { RunEventPublisher } from './run-event-publisher.ts';
import { callerOf, callsBefore, heldIn, rulesFor } from './run-context.ts';
import { TokenCharges, type ModelAmount } from './token-charges.ts';

/** A replica that hasn't renewed its lease for this many milliseconds is fenced, and another one takes over. */
export const LEASE_MS = 15_000;
/** A run that waits for a person is checked this often, in case the event of the decision was lost. */
const POLL_MS = 5_000;

/** A run that this process has claimed. */
export class DriveRun {
  readonly #parts: DriveParts;
  readonly #claim: RunClaim;
  readonly #interruption = new AbortController();
  #open!: OpenRun;
  #caller!: Caller;
  #state!: RunState;
  #seq = 0;
  /** replies that were stored before this claim */
  #replies = 0;
  #dialect: TextDialect | null = null;
  #hasBegun = false;
  #prices: ConfiguredModel['prices'] = null;
  #publisher!: RunEventPublisher;
  #draws!: TokenCharges;

  constructor(parts: DriveParts, claim: RunClaim) {
    this.#parts = parts;
    this.#claim = claim;
  }

  get claim(): RunClaim {
    return this.#claim;
  }

  /** Whether the key requested it. False before it was read. */
  isFor(apiKeyId: string): boolean {
    return this.isOpen && this.#caller.api_key_id === apiKeyId;
  }

  /** Interrupts it as soon as possible; the first reason counts. */
  interrupt(why: RunInterrupted['reason'], fault: FaultCode | null = null): void {
    if (!this.#interruption.signal.aborted) this.#interruption.abort(new RunInterrupted(why, fault));
  }

  /**
   * Resolves when the run has ended, waits, or is left to other replicas. The result lists the operations that a person
   * has to decide first. Throws the error that prevents its continuation.
   */
  async run(): Promise<readonly string[]> {
    try {
      await this.#load();
      return await this.#drive();
    } catch (error) {
      if (error instanceof LeaseLost) return [];
      return await this.#handleInterruption(error);
    } finally {
      this.#publisher?.end();
    }
  }

  async #load(): Promise<void> {
    const open = await this.#parts.work.open(this.#claim);
    this.#open = open;
    this.#dialect = textDialectOf(open.session);
    const { run, session } = open;
    this.#caller = await this.#parts.withPerson(callerOf(this.#claim, open));
    this.#hasBegun = open.prompt !== null;
    const { state, events, replies } = await foldRun(
      await conversationAfter(session.content.base, open.earlier, this.#dialect),
      open,
    );
    [this.#state, this.#seq, this.#replies] = [state, events, replies];
    const { capability_token_id } = session;
    const { prices = null, currency = null } = this.#parts.models.read(session.model) ?? {};
    this.#prices = prices;
    const meter = { currency: prices === null ? null : currency, now: this.#parts.monotonic };
    // A run that waits, or has not begun, has no reservation.
    this.#draws = new TokenCharges(this.#claim, run.state === 'running' ? null : this.#used().tokens, meter, (draw) =>
      this.#parts.charge(this.#caller, { capability_token_id, ...draw }),
    );
    this.#publisher = new RunEventPublisher(this.#claim, this.#seq, this.#parts.publish);
    if (open.revoked) throw new RunInterrupted('revoked');
    if (run.cancel_by !== null) throw new RunInterrupted('cancelled');
    if ((await this.#parts.tokenOf(this.#caller, capability_token_id)).revoked) throw new RunInterrupted('revoked');
  }

  /** What its own models used. Sub-agents draw on the same tokens themselves. */
  #used(): ModelAmount {
    const { usage } = this.#state;
    return { tokens: usage.input_tokens + usage.output_tokens, cost: this.#cost(usage) };
  }

  #cost(usage: RunState['usage']): number | null {
    return this.#prices === null ? null : costOf(usage, this.#prices);
  }

  async #drive(): Promise<readonly string[]> {
    if (this.#state.ended !== null) return await this.#end(this.#state.ended.stopped);
    const model = this.#parts.models.read(this.#open.session.model);
    if (model === null) return await this.#end('failed', 'model.unknown');
    const prompt = this.#open.prompt ?? (await this.#begin());
    // Without a decision there may still be work before it waits: other calls of the reply, or an explanation by the
    // model of what is held.
    if (await this.#isAnyDecided(heldIn(this.#state))) await this.#appendEvent({ kind: 'resumed' });
    const { stopped, state } = await this.#loop(model, prompt);
    return stopped === 'held' ? await this.#wait(heldIn(state)) : await this.#end(stopped);
  }

  async #begin(): Promise<RunPrompt> {
    const prompt = await this.#parts.prompt(this.#caller, this.#open, this.#dialect);
    await this.#parts.work.begin(this.#claim, prompt);
    this.#hasBegun = true;
    this.#publisher.kept(this.#seq);
    return prompt;
  }

  #loop(model: ConfiguredModel, { system, tools }: RunPrompt): Promise<AgentOutcome> {
    const overhead = new OrchestrationOverhead(this.#parts.monotonic, (ms) => {
      this.#parts.metrics.took(ms);
    });
    const callContext = this.#callContext(model, overhead);
    return runAgent({
      model: this.#modelOf(model, overhead),
      system,
      tools,
      state: this.#state,
      rules: rulesFor(this.#open.run, this.#dialect, model),
      touchesOf,
      signal: this.#interruption.signal,
      keep: (event) => this.#appendEvent(event),
      callTool: (call, place, signal) =>
        runCall(
          this.#parts.calls,
          {
            ...callContext,
            onStarted: (operationId) => this.#publisher.started(place.round, place.index, operationId, call.tool_id),
          },
          call,
          place,
          signal,
          callsBefore(this.#state, place),
        ),
      onNote: (note) => this.#publisher.received(note),
      wait: this.#parts.calls.wait,
      chance: this.#parts.chance,
    });
  }

  /** The context that all calls of the run share. */
  #callContext(model: ConfiguredModel, overhead: OrchestrationOverhead) {
    return {
      waitObserver: overhead,
      caller: this.#caller,
      session: this.#open.session,
      run: this.#open.run,
      dialect: this.#dialect,
      model: model.model,
      onTokenRevoked: () => this.interrupt('revoked'),
      subAgentAnswer: async (call: ModelCall, operationId: string) => {
        // A sub-agent may begin at once, and shares the remaining budget.
        await this.#draws.settle(this.#used());
        return await this.#parts.subAgents.answer(
          { claim: this.#claim, open: this.#open, caller: this.#caller, state: this.#state, prices: this.#prices },
          call,
          operationId,
        );
      },
    };
  }

  /** The model for this run: in its dialect, within its budget, timed and counted. */
  #modelOf(model: ConfiguredModel, overhead: OrchestrationOverhead): Model {
    const { models, metrics } = this.#parts;
    const counted = metrics.of(models.open(model, this.#replies), model, this.#claim.tenant_id);
    return this.#inDialect(this.#withReservation(new TimedModel(counted, overhead), model));
  }

  /** Wraps a model so that it is called only if the tenant's cost limit and the token's budget allow its reply. */
  #withReservation(model: Model, { prices, reply_tokens_max }: ConfiguredModel): Model {
    const costMax = prices === null ? null : this.#parts.tenantCostMax;
    const isDue = (): boolean => costMax !== null || this.#draws.isDue;
    return new ReservedModel(model, { isDue, replyTokensMax: reply_tokens_max }, async (most) => {
      const cost = prices === null ? null : maxCostOf(most, prices);
      if (costMax !== null && cost !== null && !(await this.#parts.work.reserve(this.#claim, cost, costMax)))
        throw this.#interruptWith('budget', null);
      if (this.#draws.isDue) await this.#reserve(most, cost);
    });
  }

  async #reserve({ input_tokens, output_tokens }: ReplyBound, cost: number | null): Promise<void> {
    try {
      await this.#draws.reserve(this.#used(), { tokens: input_tokens + output_tokens, cost });
    } catch (error) {
      if (error instanceof Fault && (error.code === 'budget.exhausted' || error.code === 'budget.period'))
        throw this.#interruptWith('budget', error.code);
      if (error instanceof Fault && error.code === 'token.revoked') throw this.#interruptWith('revoked', null);
      throw error;
    }
  }

  #interruptWith(why: 'budget' | 'revoked', fault: FaultCode | null): RunInterrupted {
    this.interrupt(why, fault);
    return new RunInterrupted(why, fault);
  }

  #inDialect(model: Model): Model {
    return this.#dialect === null ? model : new TextModel(model, this.#dialect);
  }

  async #appendEvent(event: RunEvent): Promise<void> {
    const state = applyEvent(this.#state, event);
    const { cancelled, revoked } = await this.#append(event, state, null, null);
    this.#state = state;
    if (revoked) this.interrupt('revoked');
    else if (cancelled) this.interrupt('cancelled');
  }

  async #end(stopped: RunStopped, fault: string | null = null): Promise<readonly string[]> {
    const { ended } = this.#state;
    await this.#draws.settle(this.#used());
    await this.#append(
      { kind: 'ended', stopped },
      this.#state,
      stopped,
      fault ?? (ended?.stopped === 'model_failed' ? ended.fault : null),
    );
    this.#parts.metrics.ended(stopped);
    return [];
  }

  async #append(
    event: KeptEvent,
    { rounds, usage }: RunState,
    stopped: RunStopped | null,
    fault: string | null,
  ): Promise<Appended> {
    const sums: RunSums = {
      state: stopped !== null ? 'ended' : this.#hasBegun ? 'running' : 'queued',
      stopped,
      fault,
      rounds: rounds.length,
      ...usage,
      cost: this.#cost(usage),
    };
    const appended = await this.#parts.work.append(this.#claim, this.#seq + 1, event, sums, LEASE_MS);
    this.#seq += 1;
    this.#publisher.kept(this.#seq);
    return appended;
  }

  async #wait(held: readonly HeldCall[]): Promise<readonly string[]> {
    const idsOf = (isBelow: boolean): string[] =>
      held.filter(({ waits_for }) => (waits_for === 'run') === isBelow).map(({ operation_id }) => operation_id);
    await this.#draws.settle(this.#used());
    await this.#parts.work.wait(this.#claim, idsOf(false), POLL_MS, idsOf(true));
    this.#publisher.kept(this.#seq);
    return idsOf(false);
  }

  async #isAnyDecided(held: readonly HeldCall[]): Promise<boolean> {
    for (const { operation_id, waits_for } of held) {
      if (
        await (waits_for === 'run'
          ? this.#parts.subAgents.isOver(this.#claim, operation_id)
          : this.#parts.isDecided(this.#caller, operation_id))
      )
        return true;
    }
    return false;
  }

  /** Handles an interruption by its reason. A requested end takes effect whatever other error occurred meanwhile. */
  async #handleInterruption(error: unknown): Promise<readonly string[]> {
    const interruption = this.#interruption.signal.aborted ? (this.#interruption.signal.reason as unknown) : error;
    if (!(interruption instanceof RunInterrupted)) throw error;
    try {
      return await this.#finishInterrupted(interruption);
    } catch (late) {
      if (late instanceof LeaseLost) return [];
      throw late;
    }
  }

  async #finishInterrupted({ reason, fault }: RunInterrupted): Promise<readonly string[]> {
    if (reason === 'lost') return [];
    if (reason === 'stopping') {
      await this.#parts.work.release(this.#claim, 0);
      return [];
    }
    if (this.#state.ended !== null) return await this.#end(this.#state.ended.stopped);
    await this.#parts.work.cancelSubAgents(this.#claim, `the run above ended: ${reason}`);
    await this.#parts.cancelCalls(this.#caller, this.#open.session.session_id, this.#open.run.run_id);
    if (reason === 'budget') return await this.#end('budget', fault);
    const event: RunEvent = {
      kind: 'cancelled',
      by: reason === 'revoked' ? 'the key or the token was revoked' : (this.#open.run.cancel_by ?? 'asked'),
    };
    const state = applyEvent(this.#state, event);
    await this.#append(event, state, null, null);
    this.#state = state;
    return await this.#end('cancelled');
  }

  /** Ends a run that cannot continue. */
  async fail(fault: string): Promise<void> {
    await this.#parts.work.cancelSubAgents(this.#claim, `the run above ended: ${fault}`);
    await this.#end('failed', fault);
  }

  /** Releases it, so that a replica can claim it again after `ms`. */
  async release(ms: number): Promise<void> {
    await this.#parts.work.release(this.#claim, ms);
  }

  /** Whether it was read from the store. Before that its end cannot be recorded. */
  get isOpen(): boolean {
    return this.#publisher !== undefined;
  }
}
