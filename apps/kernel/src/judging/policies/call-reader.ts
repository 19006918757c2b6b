// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import type { ShellBudget, ShellGrammar } from '@writ/risk';
import type { TaskRunner } from '@writ/worker-pool';
import type { JudgingTasks } from '../worker-tasks.ts';
import type { JudgedAction } from './policy-sets.ts';
import { readCall, readCallOf, readCallWithin, sizeOf, type CallRead, type ReadCall } from './read-call.ts';

/** The longest text that is read on the event loop, in bytes: most commands of agents are shorter. */
const INLINE_BYTES_MAX = 1_024;
/**
 * The budget of a reading on the event loop, in steps: a command that exceeds it is read anew in a thread. The most
 * expensive unit is a report of the parser that recovers from errors in PowerShell: 0.6 ms. The budget suffices for all
 * harmless commands of the corpus. Each of the two readings of a command that names secrets has this budget.
 */
const INLINE_BUDGET: ShellBudget = { nodes: 400, parserReports: 4, reads: 100, steps: 1_500 };
/** Words that multiply in ways that steps don't count: all of the arguments, or of a list. */
const MULTIPLIES = /\$\{?[@*]|\[[@*]\]/;
/**
 * Words that make the parser or the reader slower the more of them there are, and how many are read on the event loop.
 */
const REPEATED = /<<|xargs|exec|\bsudo\b|\benv\b/g;
const REPEATED_MAX = 4;
/** Closing brackets that nothing opened: the parser tries to recover from each. The patterns of a `case` have some. */
const UNOPENED_MAX = 4;
/** Brackets in all: empty and nested ones cost the parser most. */
const BRACKETS_MAX = 40;
/** Nothing can be read within this budget: the command then counts as not understood. */
const NO_BUDGET: ShellBudget = { nodes: 0, parserReports: 0, reads: 0, steps: 0 };
/**
 * The whole budget in steps takes some 100 ms on a free processor; this bound is for a busy one, in milliseconds. The
 * proposer of the call retries after five seconds.
 */
const READ_WALL_MS = 3_000;

/**
 * Reads calls for their risk. INVARIANT (the loop is everybody's): the event loop reads only what is known to take 5 ms
 * at most; a worker thread reads the rest. INVARIANT (unread is not understood): a command that couldn't be read within
 * its budget counts as one that isn't understood, which requires a person.
 */
export class CallReader {
  readonly #grammar: ShellGrammar;
  readonly #work: TaskRunner<JudgingTasks>;

  constructor(grammar: ShellGrammar, work: TaskRunner<JudgingTasks>) {
    this.#grammar = grammar;
    this.#work = work;
  }

  /** @throws Fault `overloaded` where too many calls wait to be read */
  async read(action: JudgedAction): Promise<CallRead> {
    const call = readCallOf(action);
    const inline = isSmall(call) ? readCallWithin(call, this.#grammar, INLINE_BUDGET) : null;
    return inline ?? (await this.#inThread(call, action.tenant_id as TenantId));
  }

  async #inThread(call: ReadCall, tenantId: TenantId): Promise<CallRead> {
    try {
      return await this.#work.run('call.read', call, { tenantId, wallMs: READ_WALL_MS });
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'limit.exceeded') throw error;
      return readCall(call, this.#grammar, NO_BUDGET);
    }
  }
}

function isSmall(call: ReadCall): boolean {
  if (sizeOf(call) > INLINE_BYTES_MAX) return false;
  const text = [...Object.values(call.texts), call.commandLine ?? ''].join('\n');
  const countOf = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  const [opened, closed] = [countOf(/\(/g), countOf(/\)/g)];
  if (closed - opened > UNOPENED_MAX || opened + closed > BRACKETS_MAX) return false;
  return !MULTIPLIES.test(text) && countOf(REPEATED) <= REPEATED_MAX;
}
