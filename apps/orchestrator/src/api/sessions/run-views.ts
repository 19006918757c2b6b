// SPDX-License-Identifier: Apache-2.0
import { MODEL_FAULTS, type ModelFault, type ModelTurn } from '@writ/agent-loop';
import { FAULTS, type FaultCode } from '@writ/contract';
import type { RunEventView, RunView, SessionView } from './views.ts';
import type { RunEventRow } from '../../store/sessions/run-events.ts';
import type { RunRow, SessionContent, SessionRow } from '../../store/sessions/sessions.ts';

export const sessionView = ({
  content: _sealed,
  ...row
}: SessionRow & { readonly content?: SessionContent }): SessionView => row;

export function runView({
  cancel_by,
  fault,
  waits_for,
  rounds_max: _rounds,
  tokens_max: _tokens,
  cost_max: _cost,
  ...row
}: RunRow): RunView {
  return {
    ...row,
    waits_for: [...waits_for],
    cancel_asked: cancel_by !== null,
    error: fault === null ? null : { fault, message: wordsOf(fault) },
  };
}

/** In words of closed tables: what a provider said of a fault may hold anything. */
function wordsOf(fault: string): string {
  if (Object.hasOwn(MODEL_FAULTS, fault)) return MODEL_FAULTS[fault as ModelFault].why;
  if (Object.hasOwn(FAULTS, fault)) return FAULTS[fault as FaultCode].message;
  return fault === 'model.unknown' ? "the session's model is configured no more" : 'the run could not go on';
}

/** An event, flat. A reply is shown without what only its provider can read. */
export function eventView({ seq, at, event }: RunEventRow): RunEventView {
  return { seq, at, ...event, ...('turn' in event ? { turn: shown(event.turn) } : {}) };
}

const shown = ({ native: _theirs, ...turn }: ModelTurn): Omit<ModelTurn, 'native'> => turn;
