// SPDX-License-Identifier: Apache-2.0
import type { JsonValue } from '@writ/digest';
import type { Args } from '../dialect.ts';
import { isObject, readJson } from '../text/read-json.ts';

/**
 * The arguments of one call as a provider sends them. Attacker-controlled. INVARIANT (one rule of arguments): for every
 * provider they are a JSON object, as text in any number of pieces or as the object itself. No arguments at all mean
 * the empty object; everything else is a problem.
 */
export class CallArguments {
  readonly #text: string[] = [];
  readonly #values: JsonValue[] = [];

  /** Adds a piece of the text, or a value in place of the text. An absent member adds nothing. */
  add(piece: JsonValue | undefined): void {
    if (typeof piece === 'string') this.#text.push(piece);
    else if (piece !== undefined) this.#values.push(piece);
  }

  /** The arguments; or the problem with them, phrased to follow "the arguments". */
  read(): { readonly args: Args } | { readonly problem: string } {
    const text = this.#text.join('');
    // Some servers send null in the first pieces of a stream, and text in the others.
    const values = text.trim() === '' ? this.#values : this.#values.filter((value) => value !== null);
    const [value] = values;
    if (values.length > 1 || (value !== undefined && text.trim() !== '')) return { problem: 'come more than once' };
    if (value !== undefined) return argsOf(value);
    if (text.trim() === '') return { args: {} };
    const json = readJson(text);
    return 'problem' in json ? { problem: `are no JSON that is taken: ${json.problem}` } : argsOf(json.value);
  }
}

const argsOf = (value: JsonValue): ReturnType<CallArguments['read']> =>
  isObject(value) ? { args: value } : { problem: `must be a JSON object, and are ${kindOf(value)}` };

function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}
