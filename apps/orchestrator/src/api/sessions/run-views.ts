// SPDX-License-Identifier: Apache-2.0
import { MODEL_FAULTS, type ModelFault, type ModelTurn } from '@writ/agent-loop';
import { FAULTS, type FaultCode } from '@writ/contract';
import type { RunEventView, RunView, SessionView } from './views.ts';
import type { RunEventRow } from '../../store/session-rows/run-events.ts';
import { modeOf, type RunRow, type SessionContent, type SessionRow } from '../../store/session-rows/sessions.ts';

export const sessionView = ({
  content: _sealed,
  ...row
}: SessionRow & { readonly content?: SessionContent }): SessionView => ({ ...row, session_mode: modeOf(row) });

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
    error: fault === null ? null : { fault, message: faultMessageOf(fault) },
  };
}

/** The message of a fault from fixed tables, because a provider's message may contain anything. */
function faultMessageOf(fault: string): string {
  if (Object.hasOwn(MODEL_FAULTS, fault)) return MODEL_FAULTS[fault as ModelFault].why;
  if (Object.hasOwn(FAULTS, fault)) return FAULTS[fault as FaultCode].message;
  return fault === 'model.unknown' ? "the session's model is configured no more" : 'the run could not go on';
}

/** An event as a flat object. A reply is shown without its provider's native form. */
export function eventView({ seq, at, event }: RunEventRow): RunEventView {
  return { seq, at, ...event, ...('turn' in event ? { turn: withoutNative(event.turn) } : {}) };
}

const withoutNative = ({ native: _native, ...turn }: ModelTurn): Omit<ModelTurn, 'native'> => turn;
