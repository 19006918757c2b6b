// SPDX-License-Identifier: Apache-2.0
import type { Stack } from '@writ/stack';

/**
 * The longest block of a process's event loop since the last query, in milliseconds. It is infinite where the process
 * doesn't answer, and NaN where it reports no figure.
 */
export interface LoopFigures {
  /** the longest processor time without a break: what a hostile input can cause */
  readonly workMs: number;
  /** the longest wait for the loop, or of the loop for a processor; on a busy machine the machine causes it */
  readonly delayMs: number;
}

/** The figures of each process. */
export async function eventLoops(stack: Stack): Promise<Record<string, LoopFigures>> {
  const figures = Object.entries(stack.services).map(
    async ([name, service]) => [name, await figuresOf(service.env['WRIT_OPS_PORT'] ?? '')] as const,
  );
  return Object.fromEntries(await Promise.all(figures));
}

/**
 * A process that doesn't answer in this time is blocked. A much shorter limit would measure the machine's other load.
 * The answer contains the processor time of the loop, however late it comes.
 */
const ANSWER_MS = 30_000;

async function figuresOf(port: string): Promise<LoopFigures> {
  const text = await metricsOf(port);
  if (text === null) return { workMs: Number.POSITIVE_INFINITY, delayMs: Number.POSITIVE_INFINITY };
  const longest = (metric: string): number => {
    const line = text.split('\n').find((each) => each.startsWith(`${metric} `));
    return line === undefined ? Number.NaN : Number(line.split(' ').at(-1)) * 1_000;
  };
  return {
    workMs: longest('writ_event_loop_work_max_seconds'),
    delayMs: longest('nodejs_eventloop_delay_max_seconds'),
  };
}

/** Null where the process doesn't answer: it is gone, or blocked. */
async function metricsOf(port: string): Promise<string | null> {
  try {
    return await (await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(ANSWER_MS) })).text();
  } catch {
    return null;
  }
}
