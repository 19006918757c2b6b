// SPDX-License-Identifier: Apache-2.0
import type { Invocation } from '../shell/shell.ts';
import { READERS } from './rows/readers.ts';
import { READING_FORMS } from './rows/reading-forms.ts';
import { byProgram, hasForm } from './table.ts';

const FORMS = byProgram(READING_FORMS);
/** What any program answers without doing anything. */
const ASKS = /^(?:--version|-V|-v|--help|-h|version|help)$/;

/**
 * Answers whether the program, called like this, is known to leave everything as it is. What it starts is asked for
 * itself, and what its output is led to is a redirection's matter.
 */
export function onlyReads({ name, args }: Invocation): boolean {
  if (args.length === 1 && ASKS.test(args[0]?.text ?? '')) return true;
  return READERS.has(name) || (FORMS.get(name) ?? []).some((form) => hasForm(form, name, args));
}
