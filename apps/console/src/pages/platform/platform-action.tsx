// SPDX-License-Identifier: Apache-2.0
import { useState, type ReactNode } from 'react';
import controls from '../../design/controls.module.css';

interface ActionGiven {
  readonly label: string;
  readonly tone?: 'main' | 'danger';
  readonly dialog: (close: () => void) => ReactNode;
}

/** A button that opens a dialog. The platform key has no role: the server says what it may do. */
export function PlatformAction({ label, tone, dialog }: ActionGiven): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={`${controls['button']} ${tone === undefined ? '' : controls[tone]}`}
        onClick={() => setOpen(true)}
      >
        {label}
      </button>
      {isOpen ? dialog(() => setOpen(false)) : null}
    </>
  );
}
