// SPDX-License-Identifier: Apache-2.0
import { has, parseOptions } from '../shell/options.ts';
import type { Reading } from '../shell/shell.ts';
import { EMPTY, tainted } from '../shell/source.ts';
import { noteEmptied, noteWrite } from './write.ts';

/** Queries of structured text that return nothing for any input. */
const ANSWERS_NOTHING =
  /^\s*(?:empty|null|del\(\s*\.(?:\[\])?\s*\)|\{\s*\}|\[\s*\]|""|\.\s*=\s*(?:null|""|\{\s*\}|\[\s*\])|halt|select\(\s*false\s*\))\s*$/;
const VALUES = ['-f', '--from-file', '--indent', '--tab', '-p', '--input-format', '-I', '--expression'];

/** `jq` and similar programs: with `-i` their output is written back. */
const query: Reading = ({ name, args, stdin }, shell) => {
  const options = parseOptions(
    args.filter(({ text }) => text !== 'eval' && text !== 'e'),
    VALUES,
  );
  const [first, ...rest] = options.operands;
  const given = options.values.get('--expression');
  const [text, files] = given === undefined ? [first?.text ?? '', rest] : [given.text, options.operands];
  const leavesNothing = ANSWERS_NOTHING.test(text);
  if (has(options, '-i', '--inplace', '--in-place')) {
    for (const file of files) {
      noteWrite('overwrite', `${name} -i`, file, shell);
      if (leavesNothing) noteEmptied(`${name} -i`, file, shell);
    }
  }
  return /^\s*empty\s*$/.test(text) ? EMPTY : tainted(stdin);
};

export const QUERIES: Readonly<Record<string, Reading>> = {
  jq: query,
  gojq: query,
  jaq: query,
  yq: query,
  xq: query,
  tomlq: query,
  dasel: query,
};
