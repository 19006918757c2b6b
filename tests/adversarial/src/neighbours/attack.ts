// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, JsonValue, Stack } from '@writ/stack';
import { eventLoops, type LoopFigures } from './event-loops.ts';
import type { HostileInput } from './hostile-input.ts';
import type { HostileTenant } from './hostile-tenant.ts';
import type { Span } from './reader.ts';

/** Sendings of one input at once: more than there are processors. */
export const AT_ONCE = 4;
/** An input is under way at least as long: two calls of the other tenant fall into it. */
const SLICE_MS_MIN = 450;

/** What was seen while one input was sent. */
export interface Seen {
  readonly name: string;
  /** of the answers that came: the status, and the code of a problem or a result */
  readonly answers: string[];
  /** the longest answer, in milliseconds; null while one hasn't come */
  ms: number | null;
  /** when it was under way, as far as it was waited for */
  readonly span: Span;
  /** what held up the event loop of each process meanwhile */
  readonly loops: Readonly<Record<string, LoopFigures>>;
}

/** Sends each input several times at once, one input after another, and looks at the processes meanwhile. */
export class Attack {
  readonly seen: Seen[] = [];
  readonly #stack: Stack;
  readonly #tenant: HostileTenant;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(stack: Stack, tenant: HostileTenant) {
    this.#stack = stack;
    this.#tenant = tenant;
  }

  /**
   * All inputs, within so many milliseconds: each has an equal share of the time that is left. The first round leaves
   * none out unless it takes twice that; those behind it end when the time is over.
   */
  async round(inputs: readonly HostileInput[], round: number, withinMs: number): Promise<void> {
    const until = performance.now() + withinMs;
    for (const [index, input] of inputs.entries()) {
      const share = (until - performance.now()) / (inputs.length - index);
      if (performance.now() > (round === 0 ? until + withinMs : until)) return;
      await this.#one(input, round * AT_ONCE, Math.max(SLICE_MS_MIN, share));
    }
  }

  /**
   * Sends one input again, with nothing beside it, and answers what held up the event loops meanwhile. A loop that an
   * input holds up is held up each time; a machine that is busy with other work is so once.
   */
  async again(input: HostileInput, round: number): Promise<Seen['loops']> {
    await eventLoops(this.#stack);
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => input.send(this.#tenant, round * AT_ONCE + n)));
    return await eventLoops(this.#stack);
  }

  /** Resolves when all is answered, or after so many milliseconds. */
  async settled(withinMs: number): Promise<void> {
    await Promise.race([Promise.all(this.#underWay), sleep(withinMs)]);
  }

  async #one(input: HostileInput, round: number, shareMs: number): Promise<void> {
    const from = Date.now();
    const answers: string[] = [];
    const sendings = Array.from({ length: AT_ONCE }, async (_, n) => {
      answers.push(wordOf(await input.send(this.#tenant, round + n).catch((error: unknown) => error as Error)));
    });
    const all = Promise.all(sendings).then(() => Date.now() - from);
    this.#underWay.add(all);
    const [ms] = await Promise.all([Promise.race([all, sleep(shareMs, null)]), sleep(SLICE_MS_MIN)]);
    const loops = await eventLoops(this.#stack);
    const seen: Seen = { name: input.name, answers, ms, span: { from, to: Date.now() }, loops };
    this.seen.push(seen);
    void all.then((took) => {
      seen.ms = took;
    });
  }
}

/** An answer in a word or two: the status, and what it says of itself. */
function wordOf(answer: Answer<JsonValue> | Error): string {
  if (answer instanceof Error) return `error: ${answer.message} ${String(answer.cause ?? '')}`.trim();
  const { status, body } = answer;
  return [status, body?.code ?? body?.error?.code ?? body?.state ?? body?.status]
    .filter((word) => typeof word === 'string' || typeof word === 'number')
    .join(' ');
}
