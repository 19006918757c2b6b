// SPDX-License-Identifier: Apache-2.0
import { noteEmptied, noteWrite } from '../programs/write.ts';
import { field } from '../shell/field.ts';
import { descendants, namedChildren, type SyntaxNode } from '../shell/syntax.ts';
import { pathOf } from './paths.ts';
import type { Session } from './session.ts';
import type { Value } from './values.ts';

/** Notes the file that receives an output. Where `content` is known to be empty, the file is empty afterwards. */
export function noteRedirection(node: SyntaxNode, session: Session, content?: Value): void {
  const isNothing =
    content !== undefined && content.fields.length > 0 && content.fields.every(({ text }) => text === '');
  for (const target of descendants(node, ({ type }) => type === 'redirected_file_name')) {
    const kind = node.text.includes('>>') ? 'append' : 'overwrite';
    for (const part of namedChildren(target)) {
      if (part.type === 'command_argument_sep') continue;
      const fields = part.type === 'generic_token' ? [field(part.text)] : session.evaluate(part).fields;
      for (const { text } of fields) {
        if (text === '') continue;
        noteWrite(kind, 'powershell >', pathOf(text, true), session.shell);
        if (kind === 'overwrite' && isNothing) noteEmptied('powershell >', pathOf(text, true), session.shell);
      }
    }
  }
}
