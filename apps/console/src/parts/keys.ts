// SPDX-License-Identifier: Apache-2.0
import { useEffect } from 'react';

/** Elements that take letters themselves. A shadow root hides its field, so its host says that it has one. */
const TAKES_LETTERS =
  'input, select, textarea, [contenteditable], [data-takes-letters], [role="dialog"], [role="menu"]';

/** Whether a key is for something else than the page. */
const isTaken = (event: KeyboardEvent): boolean =>
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  event.defaultPrevented ||
  (event.target instanceof Element && event.target.closest(TAKES_LETTERS) !== null);

/** Calls what stands for a key, while no field and no dialog takes the letters. The handlers MUST be stable. */
export function useKeys(handlers: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      if (isTaken(event)) return;
      const handler = Object.hasOwn(handlers, event.key) ? handlers[event.key] : undefined;
      if (handler === undefined) return;
      event.preventDefault();
      handler();
    };
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, [handlers]);
}

/** The key that begins a way to another page, and how long the next one may take, in milliseconds. */
const GO = 'g';
const GO_MS = 1_500;

/** Calls what stands for a key after `g`. Nothing else gets that key. The handlers MUST be stable. */
export function useGoKeys(handlers: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    let until = 0;
    const listener = (event: KeyboardEvent): void => {
      if (isTaken(event)) return;
      const isSecond = event.timeStamp < until;
      until = event.key === GO && !isSecond ? event.timeStamp + GO_MS : 0;
      const handler = isSecond && Object.hasOwn(handlers, event.key) ? handlers[event.key] : undefined;
      if (handler === undefined) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      handler();
    };
    window.addEventListener('keydown', listener, { capture: true });
    return () => window.removeEventListener('keydown', listener, { capture: true });
  }, [handlers]);
}
