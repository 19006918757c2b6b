// SPDX-License-Identifier: Apache-2.0
//
// One run, from its claim to its end or its pause. INVARIANTS: an event is durable before anything follows from it but
// a question to the model (kept first; of an answer, the call is); whoever lost the lease changes nothing more (fenced,
// by the store); a call is its place in the run (once, see run-call).
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
import type { KeptEvent, RunStopped } from '../../store/sessions/run-events.ts';
import {
  LeaseLost,
  type Appended,
  type OpenRun,
  type RunClaim,
  type RunPrompt,
  type RunSums,
} from '../../store/sessions/sessions.ts';
import { conversationAfter, foldedOf, textDialectOf } from '../sessions/conversation.ts';
import type { ConfiguredModel } from '../models/models-file.ts';
import { Broken } from './broken.ts';
import type { DriveParts } from './drive-parts.ts';
import { OrchestrationOverhead, TimedModel } from './orchestration-overhead.ts';
import { mostCost, ReservedModel, type ReplyMost } from '../models/reserved-model.ts';
import { runCall } from './run-call.ts';
import { RunEventPublisher } from './run-event-publisher.ts';
import { callerOf, callsBefore, heldIn, rulesFor } from './run-terms.ts';
import { TokenDraws } from './token-draws.ts';

/** A replica that hasn't renewed its lease for so many milliseconds is fenced, and another one takes over. */
export const LEASE_MS = 15_000;
/** A run that waits for a person is looked at so often, should nobody have heard of the decision. */
const LOOK_MS = 5_000;

/** A run under a claim of this process's. */
export class DriveRun {
  readonly #parts: DriveParts;
  readonly #claim: RunClaim;
  readonly #broken = new AbortController();
  #open!: OpenRun;
  #caller!: Caller;
  #state!: RunState;
  #seq = 0;
  /** replies that were kept before this claim */
  #replies = 0;
  #dialect: TextDialect | null = null;
  #hasBegun = false;
  #prices: ConfiguredModel['prices'] = null;
  #publisher!: RunEventPublisher;
  #draws!: TokenDraws;

  constructor(parts: DriveParts, claim: RunClaim) {
    this.#parts = parts;
    this.#claim = claim;
  }

  get claim(): RunClaim {
    return this.#claim;
  }

  /** Whether the key asked for it. False before it was read. */
  isFor(apiKeyId: string): boolean {
    return this.isOpen && this.#caller.api_key_id === apiKeyId;
  }

  /** Breaks it off as soon as can be; the first reason counts. */
  breakOff(why: Broken['why'], fault: FaultCode | null = null): void {
    if (!this.#broken.signal.aborted) this.#broken.abort(new Broken(why, fault));
  }

  /**
   * Resolves when the run has ended, waits for somebody, or is left to others: with the operations that it waits for.
   * Throws what keeps it from going on.
   */
  async run(): Promise<readonly string[]> {
    try {
      await this.#openUp();
      return await this.#go();
    } catch (error) {
      if (error instanceof LeaseLost) return [];
      return await this.#brokenOff(error);
    } finally {
      this.#publisher?.end();
    }
  }

  async #openUp(): Promise<void> {
    const open = await this.#parts.work.open(this.#claim);
    this.#open = open;
    this.#dialect = textDialectOf(open.session);
    const { run, session } = open;
    this.#caller = callerOf(this.#claim, open);
    this.#hasBegun = open.prompt !== null;
    const { state, events, replies } = await foldedOf(
      await conversationAfter(session.content.base, open.earlier, this.#dialect),
      open,
    );
    [this.#state, this.#seq, this.#replies] = [state, events, replies];
    const { capability_token_id } = session;
    // Before it waits, and before it began, nothing is reserved for it.
    this.#draws = new TokenDraws(this.#claim, run.state === 'running' ? null : this.#used(), (draw) =>
      this.#parts.draw(this.#caller, { capability_token_id, ...draw }),
    );
    this.#publisher = new RunEventPublisher(this.#claim, this.#seq, this.#parts.tell);
    this.#prices = this.#parts.models.read(session.model)?.prices ?? null;
    if (open.revoked) throw new Broken('revoked');
    if (run.cancel_by !== null) throw new Broken('cancelled');
    const { revoked, bounded } = await this.#parts.tokenOf(this.#caller, capability_token_id);
    this.#draws.know(bounded);
    if (revoked) throw new Broken('revoked');
  }

  /** What its own models used: those of a sub-agent draw on the same tokens themselves. */
  #used(): number {
    return this.#state.usage.input_tokens + this.#state.usage.output_tokens;
  }

  async #go(): Promise<readonly string[]> {
    if (this.#state.ended !== null) return await this.#end(this.#state.ended.stopped);
    const model = this.#parts.models.read(this.#open.session.model);
    if (model === null) return await this.#end('failed', 'model.unknown');
    const prompt = this.#open.prompt ?? (await this.#begin());
    // Undecided, it may have more to do before it waits: to run other calls of the reply, or to let its model explain
    // what is held.
    if (await this.#someDecided(heldIn(this.#state))) await this.#keep({ kind: 'resumed' });
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
    const waits = new OrchestrationOverhead(this.#parts.monotonic, (ms) => {
      this.#parts.watch.took(ms);
    });
    const of = this.#callContext(model, waits);
    return runAgent({
      model: this.#modelOf(model, waits),
      system,
      tools,
      state: this.#state,
      rules: rulesFor(this.#open.run, this.#dialect, model),
      touchesOf,
      signal: this.#broken.signal,
      keep: (event) => this.#keep(event),
      callTool: (call, place, signal) =>
        runCall(
          this.#parts.calls,
          {
            ...of,
            started: (operationId) => this.#publisher.started(place.round, place.index, operationId, call.tool_id),
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

  /** What all calls of the run have in common. */
  #callContext(model: ConfiguredModel, waits: OrchestrationOverhead) {
    return {
      waits,
      caller: this.#caller,
      session: this.#open.session,
      run: this.#open.run,
      dialect: this.#dialect,
      model: model.model,
      tokenEnded: () => this.breakOff('revoked'),
      below: async (call: ModelCall, operationId: string) => {
        // A sub-agent begins at once, and shares what is left.
        await this.#draws.settle(this.#used());
        return await this.#parts.subAgents.answer(
          { claim: this.#claim, open: this.#open, caller: this.#caller, state: this.#state, prices: this.#prices },
          call,
          operationId,
        );
      },
    };
  }

  /** The model as the run asks it: in its dialect, within what it may spend, timed and counted. */
  #modelOf(model: ConfiguredModel, waits: OrchestrationOverhead): Model {
    const { models, watch } = this.#parts;
    const counted = watch.of(models.open(model, this.#replies), model, this.#claim.tenant_id);
    return this.#speaking(this.#within(new TimedModel(counted, waits), model));
  }

  /** A model that is asked only where the tenant's ceiling and the token's budget have room for its reply. */
  #within(model: Model, { prices, reply_tokens_max }: ConfiguredModel): Model {
    const costMax = prices === null ? null : this.#parts.tenantCostMax;
    if (costMax === null && !this.#draws.isBounded) return model;
    return new ReservedModel(model, reply_tokens_max, async (most) => {
      if (
        costMax !== null &&
        prices !== null &&
        !(await this.#parts.work.reserve(this.#claim, mostCost(most, prices), costMax))
      )
        throw this.#without('budget', null);
      if (this.#draws.isBounded) await this.#reserve(most);
    });
  }

  async #reserve({ input_tokens, output_tokens }: ReplyMost): Promise<void> {
    try {
      await this.#draws.reserve(this.#used(), input_tokens + output_tokens);
    } catch (error) {
      if (error instanceof Fault && error.code === 'budget.exhausted') throw this.#without('budget', error.code);
      if (error instanceof Fault && error.code === 'token.revoked') throw this.#without('revoked', null);
      throw error;
    }
  }

  #without(why: 'budget' | 'revoked', fault: FaultCode | null): Broken {
    this.breakOff(why, fault);
    return new Broken(why, fault);
  }

  #speaking(model: Model): Model {
    return this.#dialect === null ? model : new TextModel(model, this.#dialect);
  }

  async #keep(event: RunEvent): Promise<void> {
    const state = applyEvent(this.#state, event);
    const { cancelled, revoked } = await this.#append(event, state, null, null);
    this.#state = state;
    if (revoked) this.breakOff('revoked');
    else if (cancelled) this.breakOff('cancelled');
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
    this.#parts.watch.ended(stopped);
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
      cost: this.#prices === null ? null : costOf(usage, this.#prices),
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
    await this.#parts.work.wait(this.#claim, idsOf(false), LOOK_MS, idsOf(true));
    this.#publisher.kept(this.#seq);
    return idsOf(false);
  }

  async #someDecided(held: readonly HeldCall[]): Promise<boolean> {
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

  /**
   * What broke it off decides what becomes of it: an end that somebody wants is one, whatever else went wrong
   * meanwhile.
   */
  async #brokenOff(error: unknown): Promise<readonly string[]> {
    const broken = this.#broken.signal.aborted ? (this.#broken.signal.reason as unknown) : error;
    if (!(broken instanceof Broken)) throw error;
    try {
      return await this.#after(broken);
    } catch (late) {
      if (late instanceof LeaseLost) return [];
      throw late;
    }
  }

  async #after({ why, fault }: Broken): Promise<readonly string[]> {
    if (why === 'lost') return [];
    if (why === 'stopping') {
      await this.#parts.work.release(this.#claim, 0);
      return [];
    }
    if (this.#state.ended !== null) return await this.#end(this.#state.ended.stopped);
    await this.#parts.work.cancelBelow(this.#claim, `the run above ended: ${why}`);
    await this.#parts.cancelCalls(this.#caller, this.#open.session.session_id, this.#open.run.run_id);
    if (why === 'budget') return await this.#end('budget', fault);
    const event: RunEvent = {
      kind: 'cancelled',
      by: why === 'revoked' ? 'the key or the token was revoked' : (this.#open.run.cancel_by ?? 'asked'),
    };
    const state = applyEvent(this.#state, event);
    await this.#append(event, state, null, null);
    this.#state = state;
    return await this.#end('cancelled');
  }

  /** The end of a run that nobody can go on with. */
  async fail(fault: string): Promise<void> {
    await this.#parts.work.cancelBelow(this.#claim, `the run above ended: ${fault}`);
    await this.#end('failed', fault);
  }

  /** Leaves it to whoever claims it after a while. */
  async leave(ms: number): Promise<void> {
    await this.#parts.work.release(this.#claim, ms);
  }

  /** Whether it was read: before that, nobody can say anything of it. */
  get isOpen(): boolean {
    return this.#publisher !== undefined;
  }
}
