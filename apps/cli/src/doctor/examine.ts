// SPDX-License-Identifier: Apache-2.0
import type { Check } from './check.ts';
import { NotApplicable, Broken, type Finding, type Verdict } from './finding.ts';
import type { World } from './world.ts';

/** Checks that run at once: more would wait for the same sandboxes. */
const AT_ONCE = 4;

export interface CheckResult extends Finding {
  readonly id: string;
  readonly invariant: string;
  readonly obligatory: boolean;
  readonly ms: number;
}

/**
 * Makes all checks, and resolves with their results in the order of the list. When `signal` aborts, those without a
 * result have failed as not made.
 */
export async function examine(
  checks: readonly Check[],
  world: World,
  signal: AbortSignal,
  onResult: (result: CheckResult) => void,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const left = checks.map((check, at) => ({ check, at }));
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const result = await resultOf(next.check, world, signal);
      results[next.at] = result;
      onResult(result);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

/** The result of each check where none could be made. */
export const unmade = (checks: readonly Check[], reason: string): CheckResult[] =>
  checks.map(({ id, invariant, obligatory }) => ({ id, invariant, obligatory, ...notMade(reason), ms: 0 }));

async function resultOf(
  { id, invariant, obligatory, run }: Check,
  world: World,
  signal: AbortSignal,
): Promise<CheckResult> {
  const since = performance.now();
  const { verdict, made, evidence } = await findingOf(run, world, signal);
  return {
    id,
    invariant,
    obligatory,
    verdict,
    made,
    evidence: sendable(evidence),
    ms: Math.round(performance.now() - since),
  };
}

/** More than any evidence of a check; answers of a server may be longer. */
const EVIDENCE_CHARACTERS_MAX = 600;

/** Evidence quotes a server, and the report has to have a canonical text whatever it said. */
const sendable = (evidence: string): string =>
  evidence.slice(0, EVIDENCE_CHARACTERS_MAX).toWellFormed().replaceAll('\0', '\ufffd');

/** INVARIANT (never silently green): a check that could not be made is a failure, and says so. */
const notMade = (reason: string): Finding => ({
  verdict: 'fail',
  made: false,
  evidence: `could not be made: ${reason}`,
});

const OVER = notMade('the time of the examination was over');

async function findingOf(run: Check['run'], world: World, signal: AbortSignal): Promise<Finding> {
  if (signal.aborted) return OVER;
  const over = new Promise<Finding>((resolve) => {
    signal.addEventListener('abort', () => resolve(OVER), { once: true });
  });
  return await Promise.race([found(run, world), over]);
}

/** INVARIANT (no pass by accident): only a check that ran to its end passes. */
async function found(run: Check['run'], world: World): Promise<Finding> {
  try {
    return { verdict: 'pass', made: true, evidence: await run(world) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof Broken) return { verdict: 'fail', made: true, evidence: reason };
    if (error instanceof NotApplicable) return { verdict: 'not_applicable', made: true, evidence: reason };
    return notMade(reason);
  }
}

/** Whether an installation is healthy: nothing failed, and each obligatory check passed. */
export const isHealthy = (results: readonly CheckResult[]): boolean =>
  results.length > 0 &&
  results.every(({ verdict, obligatory }) => verdict === 'pass' || (verdict === 'not_applicable' && !obligatory));

/** How many checks have each verdict. */
export function countsOf(results: readonly CheckResult[]): Readonly<Record<Verdict, number>> {
  const counts = { pass: 0, fail: 0, not_applicable: 0 };
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
}
