// SPDX-License-Identifier: Apache-2.0
// Small parts that all administration pages are made of.
import { useId, useState, type ReactNode } from 'react';
import { useSession } from '../../data/session.ts';
import controls from '../../design/controls.module.css';
import { Id, Shown } from '../../parts/shown.tsx';
import { Moment } from '../../parts/time.tsx';
import { administration as words } from '../../words/administration.ts';
import { en } from '../../words/en.ts';
import styles from './administration.module.css';

interface PartGiven {
  readonly title: string;
  readonly text: string;
  /** buttons and filters */
  readonly end?: ReactNode;
  readonly children: ReactNode;
}

/** A page of the administration: what it is for, what can be done, and what there is. */
export const Part = ({ title, text, end, children }: PartGiven): ReactNode => (
  <div className={styles['part']}>
    <div className={styles['bar']}>
      <h2 className={controls['visuallyHidden']}>{title}</h2>
      <p className={controls['hint']}>{text}</p>
      <div className={styles['barEnd']}>{end}</div>
    </div>
    {children}
  </div>
);

/** Facts with their names. Those that are null are left out. */
export const Facts = ({ of }: { readonly of: readonly (readonly [string, ReactNode])[] }): ReactNode => (
  <dl className={styles['facts']}>
    {of.map(([label, value]) =>
      value === null ? null : (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
);

export const moment = (at: number | null | undefined): ReactNode =>
  at === null || at === undefined ? null : <Moment at={at} />;
export const id = (of: string | null | undefined): ReactNode =>
  of === null || of === undefined ? null : <Id id={of} />;
export const shown = (text: string | null | undefined): ReactNode =>
  text === null || text === undefined || text === '' ? null : <Shown text={text} />;

export const Doing = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <div className={styles['doing']}>{children}</div>
);

/** Why the reader may not do what takes one of these roles; null: they may, as far as their role says it. */
export function useMayNot(roles: readonly ('admin' | 'operator')[]): string | null {
  const { me } = useSession();
  if (me.role !== null && (roles as readonly string[]).includes(me.role)) return null;
  return words.mayNot(roles.map((role) => en.roles[role]).join(words.or), me.role === null ? null : en.roles[me.role]);
}

interface ActionGiven {
  readonly label: string;
  /** who may do it; default: administrators */
  readonly roles?: readonly ('admin' | 'operator')[];
  readonly tone?: 'main' | 'danger';
  /** the dialog that does it */
  readonly dialog: (close: () => void) => ReactNode;
}

const ADMIN = ['admin'] as const;

/** A button that opens a dialog. Whoever may not do it sees why. */
export function Action({ label, roles = ADMIN, tone, dialog }: ActionGiven): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const why = useMayNot(roles);
  return (
    <>
      <button
        type="button"
        className={`${controls['button']} ${tone === undefined ? '' : controls[tone]}`}
        disabled={why !== null}
        title={why ?? undefined}
        onClick={() => setOpen(true)}
      >
        {label}
      </button>
      {isOpen ? dialog(() => setOpen(false)) : null}
    </>
  );
}

/** Says once for a page why its buttons are off. */
export function MayNotNote({ roles = ADMIN }: { readonly roles?: readonly ('admin' | 'operator')[] }): ReactNode {
  const why = useMayNot(roles);
  return why === null ? null : <p className={controls['hint']}>{why}</p>;
}

interface FieldGiven {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

interface TextFieldGiven extends FieldGiven {
  readonly isRequired?: boolean;
  readonly isFirst?: boolean;
  readonly isLong?: boolean;
  readonly max?: number;
  readonly type?: 'text' | 'password' | 'email' | 'url' | 'number' | 'datetime-local';
}

const CHARS_MAX = 256;

/** The name of a field, the field, and what is said of it: the hint is no part of its name. */
function Field(
  given: Pick<FieldGiven, 'label' | 'hint'> & { readonly field: (ids: FieldIds) => ReactNode },
): ReactNode {
  const fieldId = useId();
  const hintId = `${fieldId}-hint`;
  return (
    <div className={controls['field']}>
      <label className={controls['label']} htmlFor={fieldId}>
        {given.label}
      </label>
      {given.field({ id: fieldId, 'aria-describedby': given.hint === undefined ? undefined : hintId })}
      {given.hint === undefined ? null : (
        <span id={hintId} className={controls['hint']}>
          {given.hint}
        </span>
      )}
    </div>
  );
}

interface FieldIds {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
}

export function TextField(given: TextFieldGiven): ReactNode {
  const { label, hint, value, change, isRequired = false, isFirst = false, isLong = false, max = CHARS_MAX } = given;
  const shared = { value, required: isRequired, autoFocus: isFirst, maxLength: max };
  const field = (ids: FieldIds): ReactNode =>
    isLong ? (
      <textarea {...shared} {...ids} className={controls['area']} onChange={({ target }) => change(target.value)} />
    ) : (
      <input
        {...shared}
        {...ids}
        className={controls['input']}
        type={given.type ?? 'text'}
        autoComplete={given.type === 'password' ? 'new-password' : 'off'}
        onChange={({ target }) => change(target.value)}
      />
    );
  return <Field label={label} {...(hint === undefined ? {} : { hint })} field={field} />;
}

interface ChoiceGiven<Value extends string> extends Omit<FieldGiven, 'change' | 'value'> {
  readonly value: Value;
  readonly change: (value: Value) => void;
  readonly options: readonly (readonly [Value, string])[];
}

export const ChoiceField = <Value extends string>(given: ChoiceGiven<Value>): ReactNode => (
  <Field
    label={given.label}
    {...(given.hint === undefined ? {} : { hint: given.hint })}
    field={(ids) => (
      <select
        {...ids}
        className={controls['select']}
        value={given.value}
        onChange={({ target }) => given.change(target.value as Value)}
      >
        {given.options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )}
  />
);
