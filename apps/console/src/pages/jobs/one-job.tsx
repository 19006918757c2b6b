// SPDX-License-Identifier: Apache-2.0
import type { Job } from '@writ/client/web';
import { Link, useParams } from '@tanstack/react-router';
import { useRef, useState, type ReactNode } from 'react';
import { useJob, useJobChange, type JobChange } from '../../data/jobs.ts';
import { useSession } from '../../data/session.ts';
import controls from '../../design/controls.module.css';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import { JobFacts } from './job-facts.tsx';
import { JobHistory } from './job-history.tsx';
import styles from './jobs.module.css';

/** One job: its task, when it runs, and what became of its starts. */
export function OneJob(): ReactNode {
  const { jobId } = useParams({ from: '/jobs/$jobId' });
  const { data, error, isPending, refetch } = useJob(jobId);
  if (isPending) return <Skeleton lines={14} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  return <Page key={jobId} job={data} />;
}

function Page({ job }: { readonly job: Job }): ReactNode {
  return (
    <article className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <Link to="/jobs" className={controls['hint']}>
          {en.jobs.back}
        </Link>
        <h1 id="page-title">
          <Shown text={job.name} />
        </h1>
        <Badge tone={job.state === 'active' ? 'good' : 'warn'}>{en.jobs.states[job.state]}</Badge>
        <Changes job={job} />
      </header>
      <div className={styles['body']}>
        <div className={styles['main']}>
          <section>
            <h2>{en.jobs.task}</h2>
            <p className={styles['task']}>
              <Shown text={job.input} />
            </p>
          </section>
          {job.system === null ? null : (
            <section>
              <h2>{en.jobs.system}</h2>
              <p className={styles['task']}>
                <Shown text={job.system} />
              </p>
            </section>
          )}
          <section>
            <h2>{en.jobs.tools}</h2>
            {job.tools.length === 0 ? (
              <p className={controls['hint']}>{en.jobs.noTools}</p>
            ) : (
              <Shown text={job.tools.join(', ')} isCode />
            )}
          </section>
          <JobHistory jobId={job.job_id} />
        </div>
        <JobFacts job={job} />
      </div>
    </article>
  );
}

/** What each change says before it is made. */
const DIALOGS = {
  pause: { title: en.jobs.pauseTitle, text: en.jobs.pauseText, action: en.jobs.pause },
  resume: { title: en.jobs.resumeTitle, text: en.jobs.resumeText, action: en.jobs.resume },
  run: { title: en.jobs.runTitle, text: en.jobs.runText, action: en.jobs.run },
} as const;

/** The changes that the reader may make, and who makes the others. */
function Changes({ job }: { readonly job: Job }): ReactNode {
  const { me } = useSession();
  const [asked, setAsked] = useState<JobChange | null>(null);
  const isAdmin = me.role === 'admin';
  const offered: readonly JobChange[] = [
    ...(job.state === 'active' && (isAdmin || me.role === 'operator') ? (['pause'] as const) : []),
    ...(job.state === 'paused' && isAdmin ? (['resume'] as const) : []),
    ...(isAdmin ? (['run'] as const) : []),
  ];
  return (
    <div className={styles['changes']}>
      {isAdmin ? null : (
        <span className={controls['hint']}>
          {me.role === 'operator' ? '' : `${en.jobs.mayNotPause} `}
          {en.jobs.mayNotRun}
        </span>
      )}
      {offered.map((change) => (
        <button key={change} type="button" className={controls['button']} onClick={() => setAsked(change)}>
          {DIALOGS[change].action}
        </button>
      ))}
      {asked === null ? null : <ChangeDialog job={job} change={asked} close={() => setAsked(null)} />}
    </div>
  );
}

interface ChangeGiven {
  readonly job: Job;
  readonly change: JobChange;
  readonly close: () => void;
}

function ChangeDialog({ job, change, close }: ChangeGiven): ReactNode {
  const make = useJobChange(job.job_id);
  // A start whose answer was lost is not a second one when it is asked for again.
  const key = useRef(crypto.randomUUID());
  const { title, text, action } = DIALOGS[change];
  return (
    <ConfirmDialog title={title} action={action} run={() => make(change, key.current)} close={close}>
      <p>
        <Shown text={job.name} />
      </p>
      <p>{text}</p>
    </ConfirmDialog>
  );
}
