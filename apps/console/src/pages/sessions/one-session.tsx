// SPDX-License-Identifier: Apache-2.0
import type { Session } from '@writ/client/web';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSession } from '../../data/session.ts';
import { readWholeTranscript, useConversation, useRun } from '../../data/sessions.ts';
import type { SessionTranscript } from '../../data/transcript.ts';
import controls from '../../design/controls.module.css';
import { errorText, Failed, Skeleton } from '../../parts/loading.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { Id, Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { SessionFacts } from './session-facts.tsx';
import { SessionMarks } from './session-marks.tsx';
import styles from './sessions.module.css';

/** One session as a conversation, alone or beside the one that it is a fork of. */
export function OneSession(): ReactNode {
  const { sessionId } = useParams({ from: '/sessions/$sessionId' });
  const { data, error, isPending, refetch } = useConversation(sessionId);
  if (isPending) return <Skeleton lines={14} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  return <Page key={sessionId} transcript={data} />;
}

function Page({ transcript }: { readonly transcript: SessionTranscript }): ReactNode {
  const { session } = transcript;
  const { run, beside = false } = useSearch({ from: '/sessions/$sessionId' });
  const isBeside = beside && session.forked_from !== null;
  return (
    <article className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <Link to="/sessions" search={{}} className={controls['hint']}>
          {en.sessions.back}
        </Link>
        <h1 id="page-title">
          {session.name === null ? <Id id={session.session_id} isShort /> : <Shown text={session.name} />}
        </h1>
        <SessionMarks session={session} />
        <Export sessionId={session.session_id} />
      </header>
      {session.forked_from === null ? null : <Origin forkedFrom={session.forked_from} isBeside={isBeside} />}
      <div className={isBeside ? styles['twoColumns'] : styles['columns']}>
        {isBeside && session.forked_from !== null ? <Original {...session.forked_from} /> : null}
        <section className={styles['column']} aria-label={en.sessions.conversation}>
          {isBeside ? <h2 className={styles['columnTitle']}>{en.sessions.fork}</h2> : null}
          <Conversation transcript={transcript} shownRun={run ?? null} />
          <Composer sessionId={session.session_id} />
        </section>
        {isBeside ? null : <SessionFacts transcript={transcript} />}
      </div>
    </article>
  );
}

interface OriginGiven {
  readonly forkedFrom: NonNullable<Session['forked_from']>;
  readonly isBeside: boolean;
}

const Origin = ({ forkedFrom, isBeside }: OriginGiven): ReactNode => (
  <p className={styles['origin']}>
    <span>
      {en.sessions.forkedFrom}{' '}
      <Link to="/runs/$runId" params={{ runId: forkedFrom.run_id }}>
        <Id id={forkedFrom.run_id} isShort />
      </Link>{' '}
      {en.sessions.forkedAfter(forkedFrom.after)}
    </span>
    <Link to="." search={isBeside ? {} : { beside: true }} className={controls['button']}>
      {isBeside ? en.sessions.alone : en.sessions.beside}
    </Link>
  </p>
);

/** The conversation that a fork begins with. */
function Original({ run_id }: { readonly run_id: string }): ReactNode {
  const run = useRun(run_id);
  return (
    <section className={styles['column']} aria-label={en.sessions.original}>
      <h2 className={styles['columnTitle']}>{en.sessions.original}</h2>
      {run.data === undefined ? (
        run.isError ? (
          <Failed error={run.error} retry={() => void run.refetch()} />
        ) : (
          <Skeleton lines={8} />
        )
      ) : (
        <OriginalConversation sessionId={run.data.session_id} runId={run_id} />
      )}
    </section>
  );
}

function OriginalConversation(given: { readonly sessionId: string; readonly runId: string }): ReactNode {
  const { data, error, isPending, refetch } = useConversation(given.sessionId);
  if (isPending) return <Skeleton lines={8} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  return <Conversation transcript={data} shownRun={given.runId} />;
}

function Export({ sessionId }: { readonly sessionId: string }): ReactNode {
  const { api } = useSession();
  const save = useMutation({
    retry: false,
    mutationFn: async () =>
      saveFile(`${sessionId}.ndjson`, await readWholeTranscript(api, sessionId, en.sessions.brokeOff)),
  });
  return (
    <span className={styles['export']}>
      {save.isError ? (
        <span role="alert">
          <Shown text={errorText(save.error)} />
        </span>
      ) : null}
      <button type="button" className={controls['button']} disabled={save.isPending} onClick={() => save.mutate()}>
        {save.isPending ? en.sessions.exporting : en.sessions.exportLines}
      </button>
    </span>
  );
}
