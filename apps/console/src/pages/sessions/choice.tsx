// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import controls from '../../design/controls.module.css';
import { visibleText } from '../../parts/visible-text.ts';
import { en } from '../../words/en.ts';

interface ChoiceGiven {
  readonly label: string;
  readonly value: string;
  /** values, and what is shown for them */
  readonly options: readonly (readonly [string, string])[];
  /** what the empty value says; null: there is none */
  readonly none?: string | null;
  readonly change: (value: string) => void;
}

/** A field with one of several values. */
export const Choice = ({ label, value, options, none = en.sessions.choose, change }: ChoiceGiven): ReactNode => (
  <label className={controls['field']}>
    <span className={controls['label']}>{label}</span>
    <select className={controls['select']} value={value} onChange={({ target }) => change(target.value)}>
      {none === null ? null : <option value="">{none}</option>}
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {visibleText(text)}
        </option>
      ))}
    </select>
  </label>
);
