// SPDX-License-Identifier: Apache-2.0
// INVARIANT (seen before it goes): what is erased is what the counts that are shown were counted for.
import type { EraseAnswerWithDryRun, EraseRequest } from '@writ/client/web';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useErasureChanges } from '../../data/erasures.ts';
import controls from '../../design/controls.module.css';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { errorText } from '../../parts/loading.tsx';
import { Shown } from '../../parts/shown.tsx';
import { administration } from '../../words/administration.ts';
import { ChoiceField, TextField } from './bits.tsx';
import { ERASE_WHATS, eraseRequestOf, utcOf, type EraseDraft } from './erase-request.ts';

const words = administration.erasures;
const WHATS = ERASE_WHATS.map((what) => [what, words.whats[what]] as const);
const REASON_CHARS_MAX = 64;

interface Seen {
  readonly request: EraseRequest;
  readonly counts: EraseAnswerWithDryRun;
}

/** Asks what is to be erased, shows how much that is, and erases exactly that. */
export function EraseDialog({ close }: { readonly close: () => void }): ReactNode {
  const { preview, erase } = useErasureChanges();
  const [draft, setDraft] = useState<EraseDraft>({ what: 'operation_id', value: '', reason: '' });
  const [seen, setSeen] = useState<Seen | null>(null);
  const request = eraseRequestOf(draft);
  const change = (part: Partial<EraseDraft>): void => {
    setSeen(null);
    setDraft((before) => ({ ...before, ...part }));
  };
  const look = useMutation({
    retry: false,
    mutationFn: async (wanted: EraseRequest) => ({ request: wanted, counts: await preview(wanted) }),
    onSuccess: (found) => setSeen(found),
  });
  return (
    <ConfirmDialog
      title={words.createTitle}
      action={words.action}
      isDangerous
      mayRun={seen !== null}
      run={async () => {
        if (seen !== null) await erase(seen.request);
      }}
      close={close}
    >
      <p>{words.createText}</p>
      <EraseFields draft={draft} change={change} />
      <div>
        <button
          type="button"
          className={controls['button']}
          disabled={request === null || look.isPending}
          onClick={() => request !== null && look.mutate(request)}
        >
          {words.look}
        </button>
      </div>
      <div role="status">{seen === null ? <p>{words.first}</p> : <Counts counts={seen.counts} />}</div>
      {look.isError ? (
        <p className={`${controls['note']} ${controls['bad']}`} role="alert">
          <Shown text={errorText(look.error)} />
        </p>
      ) : null}
    </ConfirmDialog>
  );
}

const Counts = ({ counts }: { readonly counts: EraseAnswerWithDryRun }): ReactNode => (
  <div className={`${controls['note']} ${controls['warn']}`}>
    <p>{words.found(words.calls(counts.operations), words.sessionCount(counts.sessions ?? 0), counts.more)}</p>
    {counts.unfinished === 0 ? null : <p>{words.notEnded(words.calls(counts.unfinished))}</p>}
  </div>
);

interface FieldsGiven {
  readonly draft: EraseDraft;
  readonly change: (part: Partial<EraseDraft>) => void;
}

const EraseFields = ({ draft, change }: FieldsGiven): ReactNode => (
  <>
    <ChoiceField label={words.what} value={draft.what} options={WHATS} change={(what) => change({ what, value: '' })} />
    <TextField
      label={words.ids[draft.what]}
      {...(draft.what === 'before' ? { hint: words.beforeHint(utcOf(draft.value)) } : {})}
      type={draft.what === 'before' ? 'datetime-local' : 'text'}
      isFirst
      isRequired
      value={draft.value}
      change={(value) => change({ value })}
    />
    <TextField
      label={words.reason}
      hint={words.reasonHint}
      isRequired
      max={REASON_CHARS_MAX}
      value={draft.reason}
      change={(reason) => change({ reason })}
    />
  </>
);
