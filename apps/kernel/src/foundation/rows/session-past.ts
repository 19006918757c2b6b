// SPDX-License-Identifier: Apache-2.0
import type { RiskHistory } from '@writ/risk';

/** What risk is told of a session's past beside its labels. */
export type SessionPast = Required<Pick<RiskHistory, 'destructive_calls' | 'failures_in_a_row'>>;
