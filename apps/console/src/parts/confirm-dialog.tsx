// SPDX-License-Identifier: Apache-2.0
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useConnection } from '../data/live.ts';
import controls from '../design/controls.module.css';
import { en } from '../words/en.ts';
import { errorText } from './loading.tsx';
import { Shown } from './shown.tsx';

interface ConfirmGiven {
  readonly title: string;
  /** what happens, and whether it can be undone; fields, too */
  readonly children: ReactNode;
  /** the words of the button that does it */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** whether a field still lacks something */
  readonly isIncomplete?: boolean;
  readonly run: () => Promise<unknown>;
  readonly close: () => void;
}

/** Says what happens, and does it when it is confirmed. It stays open with the error where that fails. */
export function ConfirmDialog({ title, close, ...given }: ConfirmGiven): ReactNode {
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
          <Heading slot="title">{title}</Heading>
          <ConfirmForm close={close} {...given} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function ConfirmForm(given: Omit<ConfirmGiven, 'title'>): ReactNode {
  const { children, action, isDangerous = false, isIncomplete = false, run, close } = given;
  const doing = useMutation({ retry: false, mutationFn: run, onSuccess: close });
  const isLost = useConnection() === 'lost';
  const mayNot = doing.isPending || isLost || isIncomplete;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!mayNot) doing.mutate();
      }}
    >
      {children}
      {isLost ? <p role="alert">{en.live.lostNote}</p> : null}
      {doing.isError ? (
        <p className={`${controls['note']} ${controls['bad']}`} role="alert">
          <Shown text={errorText(doing.error)} />
        </p>
      ) : null}
      <div className={controls['actions']}>
        <button type="button" className={controls['button']} onClick={close}>
          {en.call.cancel}
        </button>
        <button
          type="submit"
          className={`${controls['button']} ${isDangerous ? controls['danger'] : controls['main']}`}
          disabled={mayNot}
        >
          {action}
        </button>
      </div>
    </form>
  );
}
