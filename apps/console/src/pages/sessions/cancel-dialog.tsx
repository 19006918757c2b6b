// SPDX-License-Identifier: Apache-2.0
import type { Run } from '@writ/client/web';
import type { ReactNode } from 'react';
import { useSessionChanges } from '../../data/sessions.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Id } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';

/** Asks before a run is cancelled. */
export function CancelDialog({ run, close }: { readonly run: Run; readonly close: () => void }): ReactNode {
  const { cancel } = useSessionChanges();
  return (
    <ConfirmDialog
      title={en.sessions.cancel}
      action={en.sessions.cancel}
      isDangerous
      run={() => cancel(run)}
      close={close}
    >
      <p>
        <Id id={run.run_id} />
      </p>
      <p>{en.sessions.cancelText}</p>
    </ConfirmDialog>
  );
}
