// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { JsonError, parseIJson, type JsonValue } from '@writ/digest';
import { usage } from './cli-error.ts';
import type { Context } from './context.ts';
import { readNamedFile } from './read-named-file.ts';

/** Reads an option's value: JSON as it stands, `@FILE`, or `-` for standard input. */
export async function readJsonOption(context: Context, option: string, value: string): Promise<JsonValue> {
  const text = value === '-' ? await context.readStdin() : value.startsWith('@') ? readNamedFile(value.slice(1), option).toString('utf8') : value;
  try {
    return parseIJson(text, { depthMax: LIMITS.argsDepth.max });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw usage(`\`${option}\` is no JSON that Writ takes: ${error.message}`);
  }
}
