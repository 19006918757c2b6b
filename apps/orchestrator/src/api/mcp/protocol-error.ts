// SPDX-License-Identifier: Apache-2.0
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { FAULTS, type Fault } from '@writ/contract';
import { shownText } from './shown-text.ts';

/** A fault as an error of the protocol, with its code and what a retry would do in `data`. */
export function protocolErrorOf({ code, detail }: Fault): ProtocolError {
  const { status, retry, message } = FAULTS[code];
  const said = code === 'not_found' || code === 'internal' ? message : (detail ?? message);
  return new ProtocolError(
    status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams,
    shownText(said),
    { code, retry },
  );
}
