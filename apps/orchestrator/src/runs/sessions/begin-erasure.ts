// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller, type ErasurePlan, type ErasureView, type Id } from '@writ/contract';
import type { SaidTexts, TextsOf, TextsReach } from '../../store/sessions/said-texts.ts';
import type { EraseTexts } from './erase-texts.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** What somebody wants erased: exactly one of the first four, which the kernel verifies. */
export interface ErasureWish {
  readonly operation_id?: string;
  readonly session_id?: string;
  readonly subject?: string;
  readonly before?: string;
  readonly reason_code: string;
}

/** Why a conversation went that somebody deleted. */
const DELETED = 'session-deleted';
const NOTHING: TextsReach = { session_ids: [], at_work: 0, jobs: [] };

/**
 * Begins erasures that reach what was said as well. The kernel keeps the order before anything goes, and whoever asks
 * waits for the texts as long as that takes; what is left then is gone on with by every replica. INVARIANT (ended
 * first): nothing is ordered while a run of it is at work.
 */
export class BeginErasure {
  readonly #kernel: KernelClient;
  readonly #said: SaidTexts;
  readonly #texts: EraseTexts;

  constructor(kernel: KernelClient, said: SaidTexts, texts: EraseTexts) {
    this.#kernel = kernel;
    this.#said = said;
    this.#texts = texts;
  }

  /** Faults: `conflict` where a run is at work or a job asks for the same person, and those of the kernel. */
  async run(caller: Caller, wish: ErasureWish): Promise<ErasureView> {
    const selectors = selectorsOf(wish);
    const { session_ids } = required(await this.#reach(caller, wish));
    return await this.#texts.now(
      await this.#kernel.ask('erasure.begin', caller, {
        ...selectors,
        texts: { session_ids: [...session_ids], alone: false },
        reason_code: wish.reason_code,
      }),
    );
  }

  /** What it would do now. */
  async plan(caller: Caller, wish: ErasureWish): Promise<ErasurePlan> {
    const selectors = selectorsOf(wish);
    const { session_ids } = await this.#reach(caller, wish);
    const plan = await this.#kernel.ask('erasure.plan', caller, {
      ...selectors,
      texts: { session_ids: [...session_ids], alone: false },
    });
    return { ...plan, sessions: session_ids.length };
  }

  /**
   * A session goes with its sub-agents' and all that was said; what was forked from it stays, and so do its calls.
   * Faults: `conflict` where a run is at work, and those of the kernel.
   */
  async deleteSession(caller: Caller, sessionId: Id<'session'>): Promise<void> {
    const { session_ids } = required(await this.#said.reach(caller.tenant_id, { alone: sessionId }));
    const selectors = { operation_id: null, session_id: sessionId, subject: null, before: null };
    await this.#texts.now(
      await this.#kernel.ask('erasure.begin', caller, {
        ...selectors,
        texts: { session_ids: [...session_ids], alone: true },
        reason_code: DELETED,
      }),
    );
  }

  async #reach(caller: Caller, wish: ErasureWish): Promise<TextsReach> {
    const of = await this.#textsOf(caller, wish);
    return of === null ? NOTHING : await this.#said.reach(caller.tenant_id, of);
  }

  /**
   * Null where none are named: those of an age are found when they go. A call's answer stands in its conversation, and
   * whatever was said since may repeat it.
   */
  async #textsOf(caller: Caller, { operation_id, session_id, subject }: ErasureWish): Promise<TextsOf | null> {
    if (session_id !== undefined) return { whole: session_id };
    if (subject !== undefined) return { subject };
    if (operation_id === undefined) return null;
    const { session_id: of } = await this.#kernel.ask('operation.read', caller, { operation_id });
    return of === null ? null : { whole: of };
  }
}

function required(reach: TextsReach): TextsReach {
  if (reach.at_work > 0)
    throw new Fault(
      'conflict',
      `${reach.at_work} runs of what was said there are at work: cancel them first, or wait for their end`,
    );
  if (reach.jobs.length > 0)
    throw new Fault(
      'conflict',
      `\`${reach.jobs.join('`, `')}\` would ask about the same person again: delete it first`,
    );
  return reach;
}

function selectorsOf({ operation_id, session_id, subject, before }: ErasureWish) {
  return {
    operation_id: operation_id ?? null,
    session_id: session_id ?? null,
    subject: subject ?? null,
    before: before === undefined ? null : momentOf(before),
  };
}

/**
 * Milliseconds since the epoch.
 * @throws Fault `request.malformed` for one that looks like a moment and is none, as the 31st of a February
 */
function momentOf(text: string): number {
  const at = Date.parse(text);
  if (!Number.isSafeInteger(at) || at < 0)
    throw new Fault('request.malformed', `\`${text}\` is no moment`, { pointer: '/before' });
  return at;
}
