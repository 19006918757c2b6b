// SPDX-License-Identifier: Apache-2.0
import type { PolicyRequest } from '../policy-request.ts';
import type { EffectRequest } from '../decide/decide-policy.ts';
import { historyNeeds } from '../decide/history.ts';
import type { PolicySet } from '../policy-set.ts';

/** A request that differs from the current one in one thing. */
export interface RequestChange {
  /** the difference, phrased to follow "with" */
  readonly words: string;
  readonly ask: PolicyRequest | EffectRequest;
}

type Request = PolicyRequest | EffectRequest;
/** Limit on paths that are left out one by one; for an effect on more files, a single path explains nothing. */
const PATHS_MAX = 32;

/** Single changes that might have let the call run with less supervision. */
export function changesOf(set: PolicySet, ask: Request): RequestChange[] {
  return [
    ...sessionChanges(ask),
    ...riskChanges(ask),
    ...labelChanges(ask),
    ...historyChanges(set, ask),
    ...pathChanges(ask),
  ];
}

function sessionChanges(ask: Request): RequestChange[] {
  return [
    ...(ask.session_mode === 'interactive'
      ? []
      : [{ words: 'an interactive session', ask: { ...ask, session_mode: 'interactive' as const } }]),
    ...(ask.session_mode === 'scheduled' && !ask.job_lists_tool
      ? [{ words: `a job whose list names \`${ask.tool_id}\``, ask: { ...ask, job_lists_tool: true } }]
      : []),
    ...(ask.max_autonomy === null
      ? []
      : [{ words: 'a session that sets no limit of its own', ask: { ...ask, max_autonomy: null } }]),
  ];
}

function riskChanges(ask: Request): RequestChange[] {
  const changes: RequestChange[] = [];
  if (ask.risk_milli > 0 || ask.risk_ceiling !== 'none')
    changes.push({ words: 'no risk at all', ask: { ...ask, risk_milli: 0, risk_ceiling: 'none' } });
  if (ask.task_class !== 'general')
    changes.push({ words: 'task class `general`', ask: { ...ask, task_class: 'general' } });
  return changes;
}

function labelChanges(ask: Request): RequestChange[] {
  const single = ask.labels.map((label): RequestChange => ({
    words: `no label \`${label}\``,
    ask: { ...ask, labels: ask.labels.filter((each) => each !== label) },
  }));
  return ask.labels.length > 1 ? [...single, { words: 'no label', ask: { ...ask, labels: [] } }] : single;
}

/** Each count with a value that keeps the rule. */
function historyChanges(set: PolicySet, ask: Request): RequestChange[] {
  return historyNeeds(set, ask).map(({ id, outcome }) => ({
    words: `history rule \`${id}\` kept`,
    ask: { ...ask, history: { ...ask.history, [id]: outcome === 'succeeded' ? 1 : 0 } },
  }));
}

function pathChanges(ask: Request): RequestChange[] {
  if ('changes' in ask)
    return without(ask.changes).map(([path, changes]) => ({
      words: `nothing done to \`${path}\``,
      ask: { ...ask, changes },
    }));
  return without(ask.resources).map(([path, resources]) => ({
    words: `\`${path}\` left alone`,
    ask: { ...ask, resources },
  }));
}

function without<T extends { readonly path: string }>(all: readonly T[]): [string, T[]][] {
  if (all.length > PATHS_MAX) return [];
  return [...new Set(all.map(({ path }) => path))].map((path) => [path, all.filter((each) => each.path !== path)]);
}
