// SPDX-License-Identifier: Apache-2.0
import type { McpProblem } from '@writ/contract';

/** Postgres accepts no NUL in text, and the message may have words of a server. */
export const storedProblem = ({ code, message }: McpProblem): McpProblem => ({
  code,
  message: message.replaceAll('\0', '').toWellFormed(),
});
