// SPDX-License-Identifier: Apache-2.0
import { JsonError, parseIJson, type JsonValue } from '@writ/digest';
import { McpError, shownPlace, type Redact } from './mcp-error.ts';

/** The levels that a result may have. */
const DEPTH_MAX = 32;

/** A result is stored and hashed, which takes I-JSON. @throws McpError `result_invalid` */
export function keptJson(value: unknown, redact: Redact): JsonValue {
  try {
    return parseIJson(JSON.stringify(value), { depthMax: DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new McpError('result_invalid', `the result can not be kept: ${shownProblem(error, redact)}`);
  }
}

/** What is wrong with a value, and where. The error itself has cut the place, perhaps within a secret value. */
export const shownProblem = ({ reason, pointer, line, column }: JsonError, redact: Redact): string =>
  new JsonError(reason, pointer === '' ? '' : shownPlace(pointer, redact), line, column).message;
