// SPDX-License-Identifier: Apache-2.0
import { isServerRequest } from '@writ/mcp-tool';

/**
 * Whether a request is a call: it is what an operation was admitted for, and a session sends one at most. Every other
 * request belongs to the session, or lists tools.
 */
export const isCallMethod = (method: unknown): boolean =>
  method === 'tools/call' || (typeof method === 'string' && isServerRequest(method));
