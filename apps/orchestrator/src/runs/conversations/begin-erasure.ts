// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller, type ErasurePlan, type ErasureView, type Id } from '@writ/contract';
import type { SessionTexts, TextScope, ErasureReach } from '../../store/session-rows/session-texts.ts';
import type { EraseTexts } from './erase-texts.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** What to erase: exactly one of the first four members, which the kernel verifies. */
export interface ErasureRequest {
  readonly operation_id?: string;
  readonly session_id?: string;
  readonly subject?: string;
  readonly before?: string;
  readonly reason_code: string;
}

/** The recorded reason for the erasure of a deleted session. */
const DELETED = 'session-deleted';
const NOTHING: ErasureReach = { session_ids: [], at_work: 0, jobs: [] };

/**
 * Begins erasures, including those of texts of sessions. The kernel stores the order before anything is deleted. The
 * request waits for the first rounds of deletion; all replicas continue with the rest. INVARIANT (ended first): no
 * erasure is ordered while a run of its sessions is active.
 */
export class BeginErasure {
  readonly #kernel: KernelClient;
  readonly #sessionTexts: SessionTexts;
  readonly #texts: EraseTexts;

  constructor(kernel: KernelClient, sessionTexts: SessionTexts, texts: EraseTexts) {
    this.#kernel = kernel;
    this.#sessionTexts = sessionTexts;
    this.#texts = texts;
  }

  /** Faults: `conflict` where a run is active or a job has the same data subject, and those of the kernel. */
  async run(caller: Caller, request: ErasureRequest): Promise<ErasureView> {
    const selectors = selectorsOf(request);
    const { session_ids } = verifyErasable(await this.#reach(caller, request));
    return await this.#texts.eraseNow(
      await this.#kernel.ask('erasure.begin', caller, {
        ...selectors,
        texts: { session_ids: [...session_ids], alone: false },
        reason_code: request.reason_code,
      }),
    );
  }

  /** What the erasure would delete now. */
  async plan(caller: Caller, request: ErasureRequest): Promise<ErasurePlan> {
    const selectors = selectorsOf(request);
    const { session_ids } = await this.#reach(caller, request);
    const plan = await this.#kernel.ask('erasure.plan', caller, {
      ...selectors,
      texts: { session_ids: [...session_ids], alone: false },
    });
    return { ...plan, sessions: session_ids.length };
  }

  /**
   * Erases a session and those of its sub-agents, with all texts. Its forks and its calls remain. Faults: `conflict`
   * where a run is active, and those of the kernel.
   */
  async deleteSession(caller: Caller, sessionId: Id<'session'>): Promise<void> {
    const { session_ids } = verifyErasable(await this.#sessionTexts.reach(caller.tenant_id, { alone: sessionId }));
    const selectors = { operation_id: null, session_id: sessionId, subject: null, before: null };
    await this.#texts.eraseNow(
      await this.#kernel.ask('erasure.begin', caller, {
        ...selectors,
        texts: { session_ids: [...session_ids], alone: true },
        reason_code: DELETED,
      }),
    );
  }

  async #reach(caller: Caller, request: ErasureRequest): Promise<ErasureReach> {
    const of = await this.#textsOf(caller, request);
    return of === null ? NOTHING : await this.#sessionTexts.reach(caller.tenant_id, of);
  }

  /**
   * The texts that an erasure names. Null for one by age, whose texts are found when they are deleted. The erasure of a
   * call includes its whole conversation, because later texts may repeat the call's answer.
   */
  async #textsOf(caller: Caller, { operation_id, session_id, subject }: ErasureRequest): Promise<TextScope | null> {
    if (session_id !== undefined) return { whole: session_id };
    if (subject !== undefined) return { subject };
    if (operation_id === undefined) return null;
    const { session_id: of } = await this.#kernel.ask('operation.read', caller, { operation_id });
    return of === null ? null : { whole: of };
  }
}

function verifyErasable(reach: ErasureReach): ErasureReach {
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

function selectorsOf({ operation_id, session_id, subject, before }: ErasureRequest) {
  return {
    operation_id: operation_id ?? null,
    session_id: session_id ?? null,
    subject: subject ?? null,
    before: before === undefined ? null : momentOf(before),
  };
}

/**
 * Milliseconds since the epoch.
 * @throws Fault `request.malformed` for a well-formed date that does not exist, such as 31 February
 */
function momentOf(text: string): number {
  const at = Date.parse(text);
  if (!Number.isSafeInteger(at) || at < 0)
    throw new Fault('request.malformed', `\`${text}\` is no moment`, { pointer: '/before' });
  return at;
}
