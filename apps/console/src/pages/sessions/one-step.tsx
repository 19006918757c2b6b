// SPDX-License-Identifier: Apache-2.0
import { Link } from '@tanstack/react-router';
import { memo, useState, type ReactNode } from 'react';
import { useSession } from '../../data/session.ts';
import controls from '../../design/controls.module.css';
import { Id, Shown } from '../../parts/shown.tsx';
import { Span } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import { CallLine } from './call-line.tsx';
import type { Step } from './conversation-steps.ts';
import { ForkDialog } from './fork-dialog.tsx';
import styles from './sessions.module.css';

interface StepGiven {
  readonly step: Step;
  readonly runId: string;
  /** whether the run has ended */
  readonly isOver: boolean;
}

/** A reply with its calls, or what happened between replies. */
export const OneStep = memo(({ step, runId, isOver }: StepGiven): ReactNode => {
  if (step.kind === 'early')
    return (
      <p className={styles['note']}>
        {en.sessions.notes.early}
        {step.operationId === null ? null : (
          <>
            {' '}
            <Link to="/activity/$operationId" params={{ operationId: step.operationId }}>
              <Id id={step.operationId} isShort />
            </Link>
          </>
        )}
      </p>
    );
  if (step.kind === 'note') return <Note step={step} />;
  const text = step.kind === 'reply' ? step.turn.text : step.text;
  const problems = step.kind === 'reply' ? (step.turn.problems ?? []) : [];
  return (
    <div className={styles['reply']}>
      <h3 className={styles['who']}>
        {en.sessions.agent}
        <Span at={step.at} />
        {step.kind === 'reply' ? <Fork runId={runId} after={step.seq} isOver={isOver} /> : null}
      </h3>
      {text === '' ? null : (
        <p className={styles['said']}>
          <Shown text={text} />
        </p>
      )}
      {problems.map((problem) => (
        <p key={problem} className={`${controls['note']} ${controls['warn']}`}>
          <Shown text={problem} />
        </p>
      ))}
      {step.kind === 'reply'
        ? step.calls.map((call) => <CallLine key={call.index} step={call} isOver={isOver} />)
        : null}
    </div>
  );
});
OneStep.displayName = 'OneStep';

function Note({ step: { event, at } }: { readonly step: Extract<Step, { readonly kind: 'note' }> }): ReactNode {
  return (
    <div className={styles['note']}>
      {en.sessions.notes[event.kind]} {event.kind === 'cancelled' ? <Shown text={event.by} /> : null}
      {event.kind === 'model_failed' ? <Shown text={event.message} /> : null} · <Span at={at} />
      {event.kind === 'compacted' ? (
        <details>
          <summary>{en.sessions.call.more}</summary>
          <p className={styles['said']}>
            <Shown text={event.summary} />
          </p>
        </details>
      ) : null}
    </div>
  );
}

interface ForkGiven {
  readonly runId: string;
  readonly after: number;
  readonly isOver: boolean;
}

/** Offers a fork after a reply, to those who may start sessions. */
function Fork({ runId, after, isOver }: ForkGiven): ReactNode {
  const { me } = useSession();
  const [isAsking, setAsking] = useState(false);
  if (me.role !== 'admin' || !isOver) return null;
  return (
    <>
      <button
        type="button"
        className={`${controls['button']} ${controls['plain']} ${styles['fork']}`}
        aria-label={en.sessions.forkHereOf(after)}
        onClick={() => setAsking(true)}
      >
        {en.sessions.forkHere}
      </button>
      {isAsking ? <ForkDialog runId={runId} after={after} close={() => setAsking(false)} /> : null}
    </>
  );
}
