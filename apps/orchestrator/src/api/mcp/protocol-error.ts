// SPDX-License-Identifier: Apache-2.0
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { FAULTS, type Fault } from '@writ/contract';
import { shownMessage } from '../../edge/problems/problem.ts';
import { shownText } from './shown-text.ts';

/** A fault as an error of the protocol, with its code and what a retry would do in `data`. */
export function protocolErrorOf(fault: Fault): ProtocolError {
  const { code } = fault;
  const { status, retry } = FAULTS[code];
  return new ProtocolError(
    status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams,
    shownText(shownMessage(fault)),
    { code, retry },
  );
}
