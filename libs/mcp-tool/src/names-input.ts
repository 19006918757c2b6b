// SPDX-License-Identifier: Apache-2.0
import { MCP_INPUT, type JsonSchemaText } from '@writ/contract';
import { textsIn } from './shown-text.ts';

/** Whether a schema names the argument for answers anywhere, at any depth. Total and pure. */
export function namesInput(schema: JsonSchemaText): boolean {
  for (const { text } of textsIn(schema)) if (text === MCP_INPUT) return true;
  return false;
}
