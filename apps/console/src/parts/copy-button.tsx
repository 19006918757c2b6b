// SPDX-License-Identifier: Apache-2.0
import { useState, type ReactNode } from 'react';
import controls from '../design/controls.module.css';
import { en } from '../words/en.ts';

/** Copies a text, and says that it did. */
export function CopyButton({ text }: { readonly text: string }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <button type="button" className={controls['button']} onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? en.shown.copied : en.shown.copy}</span>
    </button>
  );
}
