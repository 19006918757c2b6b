// SPDX-License-Identifier: Apache-2.0
import type { Run, RunEvent } from '@writ/client/web';
import { Link } from '@tanstack/react-router';
import { memo, useMemo, useState, type ReactNode } from 'react';
import { useSession } from '../../data/session.ts';
import { useModels, useRun } from '../../data/sessions.ts';
import { NOTHING_LIVE, type LiveRun } from '../../data/transcript.ts';
import controls from '../../design/controls.module.css';
import { Badge } from '../../parts/marks.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { Span } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import { CancelDialog } from './cancel-dialog.tsx';
import { stateOf, stepsOf } from './conversation-steps.ts';
import { OneStep } from './one-step.tsx';
import styles from './sessions.module.css';

interface RunGiven {
  readonly run: Run;
  readonly input: string;
  readonly events: readonly RunEvent[];
  readonly live: LiveRun;
}

/** One run: the task, what the agent wrote and did, and how it ended. */
export const RunBlock = memo(({ run, input, events, live }: RunGiven): ReactNode => {
  const steps = useMemo(() => stepsOf(events, live.started), [events, live.started]);
  const isWriting = live.text !== '' || live.asked.length > 0;
  const { state, stopped } = stateOf(run, events, isWriting);
  return (
    <article className={styles['run']} data-run={run.run_id} aria-label={`${en.sessions.you} ${run.run_id}`}>
      <div className={styles['task']}>
        <h3 className={styles['who']}>
          {en.sessions.you}
          <Span at={run.created_at} />
        </h3>
        <p className={styles['said']}>
          <Shown text={input} />
        </p>
      </div>
      {steps.map((step) => (
        <OneStep key={step.seq} step={step} runId={run.run_id} isOver={state === 'ended'} />
      ))}
      <BeingWritten live={live} />
      {run.error === null ? null : (
        <p className={`${controls['note']} ${controls['bad']}`}>
          <code>
            <Shown text={run.error.fault} />
          </code>{' '}
          <Shown text={run.error.message} />
        </p>
      )}
      {run.state === 'ended' ? (
        <Foot run={run} state={state} stopped={stopped} />
      ) : (
        <LiveFoot run={run} events={events} isWriting={isWriting} />
      )}
    </article>
  );
});
RunBlock.displayName = 'RunBlock';

/** What streams now. It is replaced by the stored reply. */
function BeingWritten({ live }: { readonly live: LiveRun }): ReactNode {
  if (live === NOTHING_LIVE || (live.text === '' && live.asked.length === 0 && live.failures === 0)) return null;
  return (
    <div className={styles['reply']} data-writing>
      <h3 className={styles['who']}>{live.failures > 0 ? en.sessions.retrying(live.failures) : en.sessions.writing}</h3>
      {live.text === '' ? null : (
        <p className={styles['said']}>
          <Shown text={live.text} />
        </p>
      )}
      {live.asked.map(({ id, tool_id }) => (
        <p key={id} className={styles['call']}>
          <span className={styles['callTool']}>
            <Shown text={tool_id} isCode />
          </span>
          <Badge tone={null}>{en.sessions.call.asked}</Badge>
        </p>
      ))}
    </div>
  );
}

type FootGiven = ReturnType<typeof stateOf> & { readonly run: Run; readonly children?: ReactNode };

/** How a run ended or how far it is, and what it used. */
function Foot({ run, state, stopped, children }: FootGiven): ReactNode {
  const { me } = useSession();
  const mayReplay = state === 'ended' && (me.role === 'admin' || me.role === 'operator');
  return (
    <footer className={styles['runFoot']}>
      <span role="status" className={styles['marks']}>
        {state === 'ended' ? (
          <Badge tone={stopped === 'end' ? 'good' : 'bad'}>
            {stopped === null ? en.sessions.states.ended : en.sessions.stopped[stopped]}
          </Badge>
        ) : (
          <Badge tone={state === 'waiting' ? 'warn' : null}>{en.sessions.states[state]}</Badge>
        )}
      </span>
      <Used run={run} />
      <Id id={run.run_id} isShort />
      {children}
      {mayReplay ? (
        <Link to="/runs/$runId/replay" params={{ runId: run.run_id }} search={{}}>
          {en.sessions.replay}
        </Link>
      ) : null}
    </footer>
  );
}

interface LiveFootGiven {
  readonly run: Run;
  readonly events: readonly RunEvent[];
  readonly isWriting: boolean;
}

/** The same of a run that goes on, which may be cancelled. */
function LiveFoot({ run, events, isWriting }: LiveFootGiven): ReactNode {
  const { data = run } = useRun(run.run_id);
  const { me } = useSession();
  const [isAsking, setAsking] = useState(false);
  const { state, stopped } = stateOf(data, events, isWriting);
  const mayCancel = (me.role === 'admin' || me.role === 'operator') && state !== 'ended' && !data.cancel_asked;
  return (
    <Foot run={data} state={state} stopped={stopped}>
      {data.cancel_asked && state !== 'ended' ? (
        <span className={controls['hint']}>{en.sessions.cancelAsked}</span>
      ) : null}
      {mayCancel ? (
        <button type="button" className={`${controls['button']} ${controls['danger']}`} onClick={() => setAsking(true)}>
          {en.sessions.cancel}
        </button>
      ) : null}
      {isAsking ? <CancelDialog run={run} close={() => setAsking(false)} /> : null}
    </Foot>
  );
}

function Used({ run }: { readonly run: Run }): ReactNode {
  const models = useModels();
  const currency = models.data?.find(({ name }) => name === run.model)?.currency ?? null;
  return (
    <span className={controls['hint']}>
      {en.sessions.rounds(run.rounds)} · {en.sessions.tokens(run.input_tokens + run.output_tokens)}
      {run.cost === null ? '' : <Shown text={` · ${en.sessions.cost(run.cost, currency)}`} />}
    </span>
  );
}
