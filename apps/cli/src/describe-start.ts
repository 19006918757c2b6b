// SPDX-License-Identifier: Apache-2.0
import type { StartedBy } from '@writ/contract';
import { momentOf } from './terminal.ts';
import { visibleLine } from './visible.ts';

/** Who and what began the work of a call, in words: the person, then the job or the session. */
export function describeStart({
  principal,
  member_id,
  api_key_id,
  run_id,
  session_id,
  job,
  source,
}: StartedBy): string {
  const person = [principal ?? 'a key without a name', ...(member_id === undefined ? [] : [member_id])].join(', ');
  return [
    `${person} (${api_key_id})${run_id === undefined && source !== undefined ? `, through ${source}` : ''}`,
    ...(job === undefined ? [] : [jobLine(job)]),
    ...(run_id === undefined ? [] : [`run ${run_id}${session_id === undefined ? '' : ` of session ${session_id}`}`]),
  ]
    .map(visibleLine)
    .join('\n');
}

function jobLine({ job_id, name, by_hand, due_at }: NonNullable<StartedBy['job']>): string {
  const how =
    by_hand === undefined || due_at === undefined ? '' : `, ${by_hand ? 'by hand' : 'due'} ${momentOf(due_at)}`;
  return `job ${name === undefined ? '' : `${name} `}(${job_id})${how}`;
}
