// SPDX-License-Identifier: Apache-2.0
import type { Token } from '@writ/client/web';
import { useState, type ReactNode } from 'react';
import { useSession } from '../../data/session.ts';
import { useTokenChanges } from '../../data/tokens.ts';
import controls from '../../design/controls.module.css';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Id } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';

const words = en.tokens.revoke;

interface RevokeGiven {
  readonly token: Token;
  /** tokens that were made of it directly */
  readonly childCount: number;
}

/** Ends a token, and all that was made of it. */
export function Revoke({ token, childCount }: RevokeGiven): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { me } = useSession();
  const { revoke } = useTokenChanges(token.capability_token_id);
  const isAuditor = me.role === 'auditor';
  return (
    <>
      <button
        type="button"
        className={`${controls['button']} ${controls['danger']}`}
        disabled={isAuditor || token.revoked}
        title={isAuditor ? words.auditor : undefined}
        onClick={() => setOpen(true)}
      >
        {words.open}
      </button>
      {isOpen ? (
        <ConfirmDialog title={words.title} action={words.action} isDangerous run={revoke} close={() => setOpen(false)}>
          <p>
            <Id id={token.capability_token_id} />
          </p>
          <p>{words.says}</p>
          {childCount === 0 ? null : <p>{words.children(childCount)}</p>}
        </ConfirmDialog>
      ) : null}
    </>
  );
}
