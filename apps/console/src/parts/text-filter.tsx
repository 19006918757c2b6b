// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState, type ReactNode } from 'react';
import controls from '../design/controls.module.css';

interface FilterGiven {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

/** A filter by text. It is applied when it is left or confirmed: half of a name selects nothing. */
export function TextFilter({ label, value, change }: FilterGiven): ReactNode {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change(text.trim());
      }}
    >
      <label className={controls['inline']}>
        {label}
        <input
          className={controls['input']}
          value={text}
          maxLength={128}
          onChange={({ target }) => setText(target.value)}
          onBlur={() => (text.trim() === value ? undefined : change(text.trim()))}
        />
      </label>
    </form>
  );
}
