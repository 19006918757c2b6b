// SPDX-License-Identifier: Apache-2.0
// What follows from a run as it is kept: for whom and by what rules it goes on, and what it waits for.
import { rulesOf, type CallPlace, type HeldCall, type ModelCall, type RunRules, type RunState } from '@writ/agent-loop';
import type { Caller } from '@writ/contract';
import type { TextDialect } from '@writ/dialects';
import type { OpenRun, RunClaim } from '../../store/sessions/sessions.ts';
import type { ConfiguredModel } from '../models/models-file.ts';

/** On whose behalf the run makes its calls. */
export const callerOf = ({ tenant_id }: RunClaim, { run, session }: OpenRun): Caller => ({
  tenant_id,
  api_key_id: run.created_by,
  role: run.role,
  agent_id: run.role === 'agent' ? session.agent_id : null,
  ...(run.principal === null ? {} : { principal: run.principal }),
});

/** The rules of its dialect, and its own bounds. */
export function rulesFor(
  { rounds_max, tokens_max, cost_max }: OpenRun['run'],
  dialect: TextDialect | null,
  { prices, context_tokens_max }: ConfiguredModel,
): Partial<RunRules> {
  const own = dialect === null ? {} : rulesOf(dialect);
  return { ...own, ...(rounds_max === null ? {} : { rounds_max }), tokens_max, cost_max, prices, context_tokens_max };
}

/** The calls of the same reply that come before the one at that place. */
export const callsBefore = ({ rounds }: RunState, { round, index }: CallPlace): readonly ModelCall[] =>
  (rounds[round - 1]?.calls ?? []).slice(0, index).map(({ call }) => call);

/** The calls that a run waits for. */
export const heldIn = ({ rounds }: RunState): HeldCall[] =>
  (rounds.at(-1)?.calls ?? []).flatMap(({ held }) => (held === null ? [] : [held]));
