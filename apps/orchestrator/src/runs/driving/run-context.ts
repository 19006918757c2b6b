// SPDX-License-Identifier: Apache-2.0 Derives from a stored run its caller, its rules, and the calls that it waits for.
import {
  rulesOf,
  type CallPosition,
  type HeldCall,
  type ModelCall,
  type RunRules,
  type RunState,
} from '@writ/agent-loop';
import type { Caller } from '@writ/contract';
import type { TextDialect } from '@writ/dialects';
import type { OpenRun, RunClaim } from '../../store/session-rows/sessions.ts';
import type { ConfiguredModel } from '../models/models-file.ts';

/** The caller on whose behalf the run makes its calls. */
export const callerOf = ({ tenant_id }: RunClaim, { run, session }: OpenRun): Caller => ({
  tenant_id,
  api_key_id: run.created_by,
  role: run.role,
  agent_id: run.role === 'agent' ? session.agent_id : null,
  ...(run.principal === null ? {} : { principal: run.principal }),
});

/** The rules of the run's dialect, with the run's own limits. */
export function rulesFor(
  { rounds_max, tokens_max, cost_max }: OpenRun['run'],
  dialect: TextDialect | null,
  { prices, context_tokens_max }: ConfiguredModel,
): Partial<RunRules> {
  const own = dialect === null ? {} : rulesOf(dialect);
  return { ...own, ...(rounds_max === null ? {} : { rounds_max }), tokens_max, cost_max, prices, context_tokens_max };
}

/** The calls of the same reply before the one at that position. */
export const callsBefore = ({ rounds }: RunState, { round, index }: CallPosition): readonly ModelCall[] =>
  (rounds[round - 1]?.calls ?? []).slice(0, index).map(({ call }) => call);

/** The calls that a run waits for. */
export const heldIn = ({ rounds }: RunState): HeldCall[] =>
  (rounds.at(-1)?.calls ?? []).flatMap(({ held }) => (held === null ? [] : [held]));
