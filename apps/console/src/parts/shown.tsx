// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import controls from '../design/controls.module.css';
import { en } from '../words/en.ts';
import { piecesOf, visibleText } from './visible-text.ts';

/** A text of an agent, tool or file: every character is seen, and it turns nothing around that stands beside it. */
export function Shown({ text, isCode = false }: { readonly text: string; readonly isCode?: boolean }): ReactNode {
  const pieces = piecesOf(text).map((piece, at) =>
    'text' in piece ? (
      piece.text
    ) : (
      <span key={at} className={controls['escape']} title={en.shown.control(piece.code)}>
        {piece.code}
      </span>
    ),
  );
  return (
    <bdi className={controls['shown']} style={isCode ? { fontFamily: 'var(--mono)' } : undefined}>
      {pieces}
    </bdi>
  );
}

/** The id of something, such as `op_…`. The whole of it is there for copying and for readers of the page. */
export function Id({ id, isShort = false }: { readonly id: string; readonly isShort?: boolean }): ReactNode {
  const shown = visibleText(id);
  const [kind, rest = ''] = shown.split('_', 2);
  return (
    <span className={controls['id']} title={shown}>
      {isShort && rest.length > 8 ? `${kind}_…${rest.slice(-6)}` : shown}
    </span>
  );
}
