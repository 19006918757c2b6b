// SPDX-License-Identifier: Apache-2.0
import { Link } from '@tanstack/react-router';
import { memo, useState, type ReactNode } from 'react';
import { useOperation } from '../../data/operations.ts';
import controls from '../../design/controls.module.css';
import { Json } from '../../parts/json.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import type { CallStep } from './conversation-steps.ts';
import styles from './sessions.module.css';

/** Characters of the first argument that a line shows. */
const PREVIEW_CHARS = 100;

interface CallGiven {
  readonly step: CallStep;
  /** whether the run has ended */
  readonly isOver: boolean;
}

/** A call in its reply: the tool leads to the operation, and a held call to its approval. */
export const CallLine = memo(({ step, isOver }: CallGiven): ReactNode => {
  const { call, operationId, held } = step;
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={styles['callBlock']}>
      <div className={styles['call']}>
        {operationId === null ? (
          <span className={styles['callTool']}>
            <Shown text={call.tool_id} isCode />
          </span>
        ) : (
          <Link className={styles['callTool']} to="/activity/$operationId" params={{ operationId }}>
            <Shown text={call.tool_id} isCode />
          </Link>
        )}
        <span className={styles['callArgs']}>
          <Shown text={previewOf(call.args)} isCode />
        </span>
        <Standing step={step} isOver={isOver} />
        {held === null || isOver ? null : <HeldLink held={held} />}
        <button
          type="button"
          className={`${controls['button']} ${controls['plain']}`}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {en.sessions.call.more}
        </button>
      </div>
      {isOpen ? <Details step={step} /> : null}
    </div>
  );
});
CallLine.displayName = 'CallLine';

/** The first text among the arguments, such as a path or a command, in one line. */
function previewOf(args: Readonly<Record<string, unknown>>): string {
  const first = Object.values(args).find((value) => typeof value === 'string') ?? '';
  const line = first.slice(0, PREVIEW_CHARS + 1).replaceAll('\n', ' ');
  return line.length > PREVIEW_CHARS ? `${line.slice(0, PREVIEW_CHARS)}…` : line;
}

function Standing({ step: { call, answer, held, operationId }, isOver }: CallGiven): ReactNode {
  const { standings } = en.sessions.call;
  if (answer !== null)
    return (
      <Badge tone={answer.is_error ? 'bad' : answer.standing === 'completed' ? 'good' : null}>
        {answer.operation_id === undefined && answer.is_error
          ? en.sessions.call.noOperation
          : standings[answer.standing]}
      </Badge>
    );
  if (call.problem !== undefined) return <Badge tone="bad">{standings.failed}</Badge>;
  if (isOver) return <Badge tone={null}>{en.sessions.call.unanswered}</Badge>;
  if (held !== null) return <Badge tone="warn">{standings.held}</Badge>;
  return <Badge tone={null}>{operationId === null ? standings.queued : standings.executing}</Badge>;
}

type Held = NonNullable<CallStep['held']>;

/** Where the call that waits is decided. */
function HeldLink({ held }: { readonly held: Held }): ReactNode {
  if (held.waits_for === 'run' && held.run_id !== undefined)
    return (
      <Link to="/runs/$runId" params={{ runId: held.run_id }}>
        {en.sessions.call.needs.run}
      </Link>
    );
  return <ApprovalLink held={held} />;
}

function ApprovalLink({ held }: { readonly held: Held }): ReactNode {
  const { data } = useOperation(held.operation_id);
  const approvalId = data?.approval_id ?? null;
  if (approvalId === null) return null;
  return (
    <Link className={controls['button']} to="/approvals/$approvalId" params={{ approvalId }}>
      {en.sessions.call.needs[held.waits_for]}
    </Link>
  );
}

function Details({ step: { call, answer, held } }: { readonly step: CallStep }): ReactNode {
  const text = answer?.text ?? held?.text ?? call.problem ?? null;
  const below = answer?.below?.run_id ?? held?.run_id ?? null;
  return (
    <div className={styles['details']}>
      <h4>{en.sessions.call.arguments}</h4>
      <Json value={call.args} />
      {text === null ? null : (
        <>
          <h4>{en.sessions.call.answer}</h4>
          <pre className={styles['answer']} tabIndex={0}>
            <Shown text={text} />
          </pre>
        </>
      )}
      {below === null ? null : (
        <Link to="/runs/$runId" params={{ runId: below }}>
          {en.sessions.call.subAgent}
        </Link>
      )}
    </div>
  );
}
