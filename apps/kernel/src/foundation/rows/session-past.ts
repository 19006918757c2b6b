// SPDX-License-Identifier: Apache-2.0
import type { RiskHistory } from '@writ/risk';

/** The part of a session's past that the risk table uses, apart from its labels. */
export type SessionPast = Required<Pick<RiskHistory, 'destructive_calls' | 'failures_in_a_row'>>;
