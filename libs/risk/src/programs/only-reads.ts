// SPDX-License-Identifier: Apache-2.0
import type { Invocation } from '../shell/shell.ts';
import { READERS } from './rows/readers.ts';
import { READING_FORMS } from './rows/reading-forms.ts';
import { byProgram, hasForm } from './table.ts';

const FORMS = byProgram(READING_FORMS);
/** Arguments to which any program answers without side effects. */
const ASKS = /^(?:--version|-V|-v|--help|-h|version|help)$/;

/**
 * Answers whether the program with these arguments is known to change nothing. The commands that it starts are checked
 * separately, and so are the redirections of its output.
 */
export function onlyReads({ name, args }: Invocation): boolean {
  if (args.length === 1 && ASKS.test(args[0]?.text ?? '')) return true;
  return READERS.has(name) || (FORMS.get(name) ?? []).some((form) => hasForm(form, name, args));
}
