// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { JsonError, parseIJson, type JsonValue } from '@writ/digest';
import { usage } from './cli-error.ts';
import type { Context } from './context.ts';
import { readNamedText } from './read-named-file.ts';

/** Reads an option's value: JSON itself, `@FILE`, or `-` for standard input. */
export async function readJsonOption(context: Context, option: string, value: string): Promise<JsonValue> {
  const fromFile = value.startsWith('@') ? readNamedText(value.slice(1), option) : value;
  const text = value === '-' ? await context.readStdin() : fromFile;
  try {
    return parseIJson(text, { depthMax: LIMITS.argsDepth.max });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw usage(`\`${option}\` is no JSON that Writ takes: ${error.message}`);
  }
}
