// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { LIMITS } from '@writ/contract';
import { JsonError, parseIJson, type JsonValue } from '@writ/digest';
import { usage } from './cli-error.ts';
import type { Context } from './context.ts';

/** Reads an option's value: JSON as it stands, `@FILE`, or `-` for standard input. */
export async function readJsonOption(context: Context, option: string, value: string): Promise<JsonValue> {
  const text = value === '-' ? await context.readStdin() : value.startsWith('@') ? readFile(option, value.slice(1)) : value;
  try {
    return parseIJson(text, { depthMax: LIMITS.argsDepth.max });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw usage(`\`${option}\` is no JSON that Writ takes: ${error.message}`);
  }
}

function readFile(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw usage(`\`${option}\`: \`${path}\` can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
