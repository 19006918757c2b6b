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
  /** what happens, whether it can be undone, and the fields that it needs */
  readonly children?: ReactNode;
  /** what the button that does it says */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** false: something that it needs is missing */
  readonly mayRun?: boolean;
  /** Does it. What it rejects with is shown, and the dialog stays. */
  readonly run: () => Promise<unknown>;
  readonly close: () => void;
}

/**
 * Says what a change does, and does it once, while the connection stands. A press beside it doesn't close it, so that
 * nothing typed is lost; its result isn't kept.
 */
export function ConfirmDialog(given: ConfirmGiven): ReactNode {
  return (
    <ModalOverlay
      className={controls['overlay'] ?? ''}
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) given.close();
      }}
    >
      <Modal className={controls['dialogFrame'] ?? ''}>
        <Dialog className={controls['dialog'] ?? ''}>
          <Heading slot="title" level={2}>
            {given.title}
          </Heading>
          <ConfirmForm {...given} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function ConfirmForm({ children, action, isDangerous = false, mayRun = true, run, close }: ConfirmGiven): ReactNode {
  const isLost = useConnection() === 'lost';
  const change = useMutation({
    retry: false,
    gcTime: 0,
    mutationFn: async () => {
      await run();
    },
  });
  const isReady = mayRun && !isLost && !change.isPending;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) change.mutate(undefined, { onSuccess: close });
      }}
    >
      {children}
      {isLost ? <p role="alert">{en.live.lostNote}</p> : null}
      {change.isError ? (
        <p className={`${controls['note']} ${controls['bad']}`} role="alert">
          <Shown text={errorText(change.error)} />
        </p>
      ) : null}
      <div className={controls['actions']}>
        <button type="button" className={controls['button']} onClick={close}>
          {en.call.cancel}
        </button>
        <button
          type="submit"
          className={`${controls['button']} ${isDangerous ? controls['danger'] : controls['main']}`}
          disabled={!isReady}
        >
          {action}
        </button>
      </div>
    </form>
  );
}
