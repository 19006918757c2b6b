// SPDX-License-Identifier: Apache-2.0
export { Reevaluation, refusalOf, type NewDecision, type Reevaluated, type ReevaluationParts } from './reevaluation.ts';
