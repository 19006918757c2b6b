// SPDX-License-Identifier: Apache-2.0
import {
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { digestOfAsked, type Asked, type HeldState } from './held-state.ts';

/**
 * What a client sends back when it repeats a request; undefined for a first round. INVARIANT (sealed): nothing else
 * reads what the client sent. The SDK would check the seal for some methods alone, and hands over raw JSON for others.
 *
 * @throws ProtocolError for a state that was not sealed for this key and token, is too old, or is of another request
 */
export async function readState(
  states: Pick<RequestStateCodec<HeldState>, 'verify'>,
  request: ServerContext,
  asked: Asked,
): Promise<HeldState | undefined> {
  const sent = request.mcpReq.requestState();
  if (sent === undefined) return undefined;
  const state = typeof sent === 'string' ? await states.verify(sent, request).catch(() => null) : null;
  if (state === null)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'the request state is invalid, is of another key or token, or has expired: send the request without it',
      { reason: 'invalid_request_state' },
    );
  if (state.of !== (await digestOfAsked(asked)))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the request state is of another request');
  return state;
}
