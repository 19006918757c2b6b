// SPDX-License-Identifier: Apache-2.0
import type { PolicyActivation, PolicySetWhole } from '@writ/client/web';
import { useState, type ReactNode } from 'react';
import { useActivations, usePolicyChanges } from '../../data/policies.ts';
import controls from '../../design/controls.module.css';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import type { BacktestSum } from './backtest-sum.ts';

const NOTE_CHARS_MAX = 1_000;

interface ActivateGiven {
  readonly set: PolicySetWhole;
  readonly active: PolicyActivation;
  /** what the backtest of this set found; null: there was none */
  readonly tested: BacktestSum | null;
  readonly isAllowed: boolean;
}

/** Puts a set into force. */
export function Activate({ set, active, tested, isAllowed }: ActivateGiven): ReactNode {
  // The set that was in force when the dialog was opened, which is the one that it names.
  const [seen, setSeen] = useState<PolicyActivation | null>(null);
  return (
    <>
      <button
        type="button"
        className={`${controls['button']} ${controls['main']}`}
        disabled={!isAllowed}
        onClick={() => setSeen(active)}
      >
        {en.policy.activate.open}
      </button>
      {seen === null ? null : <ActivateDialog set={set} active={seen} tested={tested} close={() => setSeen(null)} />}
    </>
  );
}

interface ActivateDialogGiven extends Omit<ActivateGiven, 'isAllowed'> {
  readonly close: () => void;
}

function ActivateDialog({ set, active, tested, close }: ActivateDialogGiven): ReactNode {
  const { activate } = usePolicyChanges();
  const [note, setNote] = useState('');
  const [allowsImpossible, setAllows] = useState(false);
  const words = en.policy.activate;
  const change = { policy: set.policy_hash, ifActive: active.policy_hash, note, allowsImpossible };
  return (
    <ConfirmDialog
      title={words.title(en.policy.version(set.name, set.version))}
      action={words.action}
      run={async () => await activate(change)}
      close={close}
    >
      <p>
        <Shown text={words.says(en.policy.version(active.name, active.version))} />
      </p>
      <p
        className={`${controls['note']} ${tested === null || tested.changed > 0 ? controls['warn'] : controls['good']}`}
      >
        {tested === null ? words.notTested : words.tested(tested.changed, tested.examined)}
      </p>
      <p className={controls['hint']}>{words.undo}</p>
      <p className={controls['hint']}>{words.changedMeanwhile}</p>
      <NoteField note={note} change={setNote} />
      <label className={controls['inline']}>
        <input type="checkbox" checked={allowsImpossible} onChange={({ target }) => setAllows(target.checked)} />
        {words.impossible}
      </label>
    </ConfirmDialog>
  );
}

const NoteField = ({ note, change }: { readonly note: string; readonly change: (note: string) => void }): ReactNode => (
  <label className={controls['field']}>
    <span className={controls['label']}>{en.policy.activate.noteLabel}</span>
    <textarea
      className={controls['area']}
      autoFocus
      maxLength={NOTE_CHARS_MAX}
      value={note}
      onChange={({ target }) => change(target.value)}
    />
  </label>
);

interface RollBackGiven {
  readonly active: PolicyActivation;
  readonly isAllowed: boolean;
}

/** Puts the previous set into force again. */
export function RollBack({ active, isAllowed }: RollBackGiven): ReactNode {
  const [seen, setSeen] = useState<PolicyActivation | null>(null);
  return (
    <>
      <button type="button" className={controls['button']} disabled={!isAllowed} onClick={() => setSeen(active)}>
        {en.policy.rollBack.open}
      </button>
      {seen === null ? null : <RollBackDialog active={seen} close={() => setSeen(null)} />}
    </>
  );
}

function RollBackDialog({
  active,
  close,
}: {
  readonly active: PolicyActivation;
  readonly close: () => void;
}): ReactNode {
  const { rollBack } = usePolicyChanges();
  const [note, setNote] = useState('');
  const words = en.policy.rollBack;
  const before = useActivations().data?.pages[0]?.items.find(({ seq }) => seq === active.seq - 1);
  const previous = before === undefined ? words.unknown : en.policy.version(before.name, before.version);
  return (
    <ConfirmDialog
      title={words.title}
      action={words.action}
      isDangerous
      run={async () => await rollBack(active.policy_hash, note)}
      close={close}
    >
      <p>
        <Shown text={words.says(en.policy.version(active.name, active.version), previous)} />
      </p>
      <p className={controls['hint']}>{words.undo}</p>
      <NoteField note={note} change={setNote} />
    </ConfirmDialog>
  );
}
