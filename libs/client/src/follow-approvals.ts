// SPDX-License-Identifier: Apache-2.0
import type { Approvals } from './approvals.ts';
import type { ApiGroups, ApprovalsApi } from './generated/api-groups.ts';
import type { Approval } from './generated/types.ts';
import type { Signal } from './options.ts';
import type { Platform } from './transport.ts';

/** How long a list is good without an event: what a lost event can cost. */
const LOOK_MS = 15_000;
/** The same while a preview runs, whose end has no event. */
const PREVIEW_MS = 500;
/** Pauses after a stream that broke off or could not be opened. */
const REOPEN_FIRST_MS = 500;
const REOPEN_MAX_MS = 8_000;
/** Approvals that were shown and are remembered: more than can wait at once. */
const SHOWN_MAX = 10_000;

interface Needs {
  readonly approvals: ApprovalsApi;
  readonly events: Pick<ApiGroups['events'], 'follow'>;
  readonly platform: Pick<Platform, 'sleep' | 'chance'>;
}

/** The approvals of the API, with an iterator, and with decisions about what was shown. */
export function approvalsOf(needs: Needs): Approvals {
  const { approvals } = needs;
  return {
    ...approvals,
    pending: ({ signal } = {}) => ({ [Symbol.asyncIterator]: () => pending(needs, signal) }),
    approve: (approval, body = {}, options) =>
      typeof approval === 'string'
        ? approvals.approve(approval, body, options)
        : approvals.approve(approval.approval_id, { ...shownIn(approval), ...body }, options),
    deny: (approval, body, options) =>
      approvals.deny(typeof approval === 'string' ? approval : approval.approval_id, body, options),
  };
}

const shownIn = ({ binding: { effect_digest } }: Approval): { effect_digest?: string } =>
  effect_digest === null ? {} : { effect_digest };

/** Whether a person can decide: while a preview runs, what is approved changes under their hands. */
const isReady = ({ preview }: Approval): boolean => preview.state !== 'waiting' && preview.state !== 'running';

/** What a person decides about: the same approval with another effect is another decision. */
const subjectOf = ({ approval_id, of, binding, preview }: Approval): string =>
  [approval_id, of, binding.effect_digest ?? '', preview.round].join(' ');

async function* pending(needs: Needs, outer: Signal | undefined): AsyncGenerator<Approval, void, undefined> {
  const { approvals, platform } = needs;
  const left = new AbortController();
  const signal = outer === undefined ? left.signal : AbortSignal.any([outer as AbortSignal, left.signal]);
  const wake = new WakeUp();
  const following = follow(needs, wake, signal);
  const shown = new Set<string>();
  try {
    for (;;) {
      // Before the list is read: what happens meanwhile wakes the next round.
      const woken = wake.next();
      let isWaiting = false;
      for await (const approval of approvals.list({ state: 'pending' }, { signal })) {
        if (!isReady(approval)) isWaiting = true;
        else if (!shown.has(subjectOf(approval))) {
          remember(shown, subjectOf(approval));
          yield approval;
        }
      }
      const look = new AbortController();
      const lookAgain = platform.sleep(isWaiting ? PREVIEW_MS : LOOK_MS, AbortSignal.any([signal, look.signal]));
      await Promise.race([woken, lookAgain]);
      look.abort();
      await lookAgain.catch(() => undefined);
      if (signal.aborted) throw signal.reason;
    }
  } finally {
    left.abort();
    await following;
  }
}

function remember(shown: Set<string>, subject: string): void {
  const [oldest] = shown;
  if (shown.size >= SHOWN_MAX && oldest !== undefined) shown.delete(oldest);
  shown.add(subject);
}

/** Wakes at each event about an approval, and after each `ready`: events before it are lost. Never rejects. */
async function follow({ events, platform }: Needs, wake: WakeUp, signal: AbortSignal): Promise<void> {
  for (let pause = REOPEN_FIRST_MS; !signal.aborted; pause = Math.min(pause * 2, REOPEN_MAX_MS)) {
    try {
      for await (const { event, data } of events.follow({}, { signal, retries: 0 })) {
        pause = REOPEN_FIRST_MS;
        if (event === 'ready' || (event === 'operation' && isOfApproval(data))) wake.wake();
      }
    } catch {
      // The list is read all the same, and its error is the iterator's.
    }
    await platform.sleep(pause * (0.5 + platform.chance() / 2), signal).catch(() => undefined);
  }
}

const isOfApproval = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && typeof (data as { approval_id?: unknown }).approval_id === 'string';

/** A wake-up call that waits for nobody, and that nobody misses. */
class WakeUp {
  #wake: () => void = () => undefined;
  #next = new Promise<void>(() => undefined);

  constructor() {
    this.#renew();
  }

  /** Resolves at the next wake-up call after this one. */
  next(): Promise<void> {
    return this.#next;
  }

  wake(): void {
    this.#wake();
    this.#renew();
  }

  #renew(): void {
    this.#next = new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
