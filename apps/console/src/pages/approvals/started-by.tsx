// SPDX-License-Identifier: Apache-2.0
import type { Approval } from '@writ/client/web';
import type { ReactNode } from 'react';
import { Id, Shown } from '../../parts/shown.tsx';
import { Moment } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';

/** Who began the work of a call: a person or a key, in a session, by a job. */
export function StartedBy({ approval: { started_by: start } }: { readonly approval: Approval }): ReactNode {
  if (start === undefined || start === null) return null;
  const { principal, api_key_id, session_id, job } = start;
  return (
    <>
      <dt>{en.call.startedBy}</dt>
      <dd>
        {principal === undefined ? <Id id={api_key_id} /> : <Shown text={principal} />}
        {session_id === undefined ? null : (
          <div>
            {en.operation.session} <Id id={session_id} isShort />
          </div>
        )}
        {job === undefined ? null : (
          <div>
            {job.by_hand === true ? en.call.jobByHand : en.call.job}{' '}
            {job.name === undefined ? <Id id={job.job_id} isShort /> : <Shown text={job.name} />}{' '}
            {job.due_at === undefined ? null : <Moment at={job.due_at} />}
          </div>
        )}
      </dd>
    </>
  );
}
