// SPDX-License-Identifier: Apache-2.0
import { ANYTHING, NOTHING, strongest, textSource } from './source.ts';
import type { Source } from './field.ts';

/** The output of commands that run one after another. */
export function joinOutputs(outputs: readonly Source[]): Source {
  const some = outputs.filter(({ kind }) => kind !== 'nothing');
  if (some.length <= 1) return some[0] ?? NOTHING;
  const strong = strongest(some);
  if (strong !== ANYTHING) return strong;
  const texts = some.map((output) => (output.kind === 'text' ? output : undefined));
  if (texts.some((text) => text === undefined)) return ANYTHING;
  return textSource(
    texts.map((text) => text?.text).join(''),
    texts.some((text) => text?.decoded),
  );
}
