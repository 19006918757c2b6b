// SPDX-License-Identifier: Apache-2.0
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { useLiveRun } from '../../data/sessions.ts';
import { joined, NOTHING_LIVE, type LiveRun, type SessionTranscript } from '../../data/transcript.ts';
import controls from '../../design/controls.module.css';
import { Empty } from '../../parts/loading.tsx';
import { en } from '../../words/en.ts';
import { RunBlock } from './run-block.tsx';
import styles from './sessions.module.css';

/** Runs that are shown at first: the newest ones. */
const RUNS_SHOWN = 20;
/** A reader who is so near the end, in pixels, stays there while a reply grows. */
const NEAR_END = 120;

interface ConversationGiven {
  readonly transcript: SessionTranscript;
  /** the run that is brought into view; null: the end */
  readonly shownRun: string | null;
}

/** All runs of a session, oldest first. The one that runs is followed. */
export function Conversation({ transcript, shownRun }: ConversationGiven): ReactNode {
  const { runs } = transcript;
  const active = runs.find(({ run }) => run.state !== 'ended') ?? null;
  const live = useLiveRun(active?.run ?? null, active?.events.at(-1)?.seq ?? 0);
  const [shown, setShown] = useState(RUNS_SHOWN);
  const asked = runs.findIndex(({ run }) => run.run_id === shownRun);
  const first = Math.max(0, Math.min(runs.length - shown, asked === -1 ? runs.length : asked));
  const scroller = useRef<HTMLDivElement>(null);
  useFollowEnd(scroller, shownRun === null, live, runs.length);
  useEffect(() => {
    if (shownRun !== null) document.querySelector(`[data-run="${CSS.escape(shownRun)}"]`)?.scrollIntoView();
  }, [shownRun]);
  return (
    <div className={styles['conversation']} ref={scroller} tabIndex={0} role="region" aria-label={en.sessions.runs}>
      {transcript.isWhole ? null : <p className={`${controls['note']} ${controls['warn']}`}>{en.sessions.tooLong}</p>}
      {first === 0 ? null : (
        <button type="button" className={controls['button']} onClick={() => setShown(shown + RUNS_SHOWN)}>
          {en.sessions.older(first)}
        </button>
      )}
      {runs.length === 0 ? (
        <Empty title={en.sessions.noRuns}>
          <p>{en.sessions.noRunsText}</p>
        </Empty>
      ) : null}
      {runs.slice(first).map(({ run, input, events }) => {
        const own = run === active?.run ? live : NOTHING_LIVE;
        return <RunBlock key={run.run_id} run={run} input={input} events={joined(events, own)} live={own} />;
      })}
    </div>
  );
}

/** Keeps the end in view while the conversation grows, for readers who are at the end. */
function useFollowEnd(
  scroller: RefObject<HTMLDivElement | null>,
  beginsAtEnd: boolean,
  live: LiveRun,
  runs: number,
): void {
  const isAtEnd = useRef(beginsAtEnd);
  useEffect(() => {
    const element = scroller.current;
    const note = (): void => {
      if (element === null) return;
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END;
    };
    element?.addEventListener('scroll', note, { passive: true });
    return () => element?.removeEventListener('scroll', note);
  }, [scroller]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (isAtEnd.current && element !== null) element.scrollTop = element.scrollHeight;
  }, [scroller, live, runs]);
}
