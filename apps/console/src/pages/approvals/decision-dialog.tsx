// SPDX-License-Identifier: Apache-2.0
import type { Approval } from '@writ/client/web';
import { useState, type ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useDecide } from '../../data/decide.ts';
import { useConnection } from '../../data/live.ts';
import controls from '../../design/controls.module.css';
import { errorText } from '../../parts/loading.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import type { Choice } from './choice.ts';

const USES = { default: 10, max: 1_000 } as const;
const COMMENT_CHARS_MAX = 1_000;

interface DialogGiven {
  readonly approval: Approval;
  readonly choice: Choice;
  /** the effect that was read */
  readonly seen: string | null;
  readonly isStale: boolean;
  readonly close: () => void;
}

/** Asks for words, and sends the decision about what was seen. */
export function DecisionDialog(given: DialogGiven): ReactNode {
  const { approval, choice, seen, close } = given;
  return (
    <ModalOverlay
      className={controls['overlay'] ?? ''}
      isOpen
      isDismissable
      onOpenChange={(isOpen) => {
        if (!isOpen) close();
      }}
    >
      <Modal className={controls['dialogFrame'] ?? ''}>
        <Dialog className={controls['dialog'] ?? ''}>
          <Heading slot="title">{en.call.send[choice]}</Heading>
          <p>
            <Shown text={approval.tool_id} isCode />
          </p>
          {choice === 'deny' || seen === null ? null : (
            <p className={controls['hint']}>
              {en.call.digest} <Id id={seen} />
            </p>
          )}
          <DecisionForm {...given} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function DecisionForm({ approval, choice, seen, isStale, close }: DialogGiven): ReactNode {
  const decide = useDecide(approval);
  const [comment, setComment] = useState('');
  const [uses, setUses] = useState<number>(USES.default);
  const isLost = useConnection() === 'lost';
  const isOld = isStale && choice !== 'deny';
  const mayNot = decide.isPending || isLost || isOld;
  const send = (): void => decide.mutate({ kind: choice, comment, effectDigest: seen, uses }, { onSuccess: close });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!mayNot) send();
      }}
    >
      {choice === 'session' ? <UsesField uses={uses} change={setUses} /> : null}
      <CommentField comment={comment} change={setComment} />
      {isOld ? <p role="alert">{en.call.stale}</p> : null}
      {isLost ? <p role="alert">{en.live.lostNote}</p> : null}
      {decide.isError ? (
        <p className={`${controls['note']} ${controls['bad']}`} role="alert">
          <Shown text={errorText(decide.error)} />
        </p>
      ) : null}
      <div className={controls['actions']}>
        <button type="button" className={controls['button']} onClick={close}>
          {en.call.cancel}
        </button>
        <button
          type="submit"
          className={`${controls['button']} ${choice === 'deny' ? controls['danger'] : controls['main']}`}
          disabled={mayNot}
        >
          {en.call.send[choice]}
        </button>
      </div>
    </form>
  );
}

interface UsesGiven {
  readonly uses: number;
  readonly change: (uses: number) => void;
}

const UsesField = ({ uses, change }: UsesGiven): ReactNode => (
  <label className={controls['field']}>
    <span className={controls['label']}>{en.call.sessionUses}</span>
    <input
      className={controls['input']}
      type="number"
      min={1}
      max={USES.max}
      value={uses}
      onChange={({ target }) => change(Math.trunc(target.valueAsNumber) || 1)}
    />
  </label>
);

interface CommentGiven {
  readonly comment: string;
  readonly change: (comment: string) => void;
}

/** Control and Enter send the form from within it. */
const CommentField = ({ comment, change }: CommentGiven): ReactNode => (
  <label className={controls['field']}>
    <span className={controls['label']}>{en.call.comment}</span>
    <textarea
      className={controls['area']}
      autoFocus
      maxLength={COMMENT_CHARS_MAX}
      value={comment}
      onChange={({ target }) => change(target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
      }}
    />
    <span className={controls['hint']}>{en.call.commentHint}</span>
  </label>
);
