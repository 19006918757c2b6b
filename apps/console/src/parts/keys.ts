// SPDX-License-Identifier: Apache-2.0
import { useEffect } from 'react';

/** Elements that take letters themselves. A shadow root hides its field, so its host says that it has one. */
const TAKES_LETTERS =
  'input, select, textarea, [contenteditable], [data-takes-letters], [role="dialog"], [role="menu"]';

/** Calls what stands for a key, while no field and no dialog takes the letters. The handlers MUST be stable. */
export function useKeys(handlers: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest(TAKES_LETTERS) !== null) return;
      const handler = Object.hasOwn(handlers, event.key) ? handlers[event.key] : undefined;
      if (handler === undefined) return;
      event.preventDefault();
      handler();
    };
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, [handlers]);
}
