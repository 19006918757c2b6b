// SPDX-License-Identifier: Apache-2.0
import { headers as emptyHeaders, type MsgHdrs } from '@nats-io/transport-node';
import type { BusHeaders } from '@writ/bus';

export function toNatsHeaders(headers: BusHeaders): MsgHdrs {
  const result = emptyHeaders();
  for (const [name, value] of Object.entries(headers)) result.set(name, value);
  return result;
}

/** If a header occurs several times, the first counts. */
export function fromNatsHeaders(headers: MsgHdrs | undefined): Record<string, string> {
  const result: Record<string, string> = {};
  if (headers !== undefined) for (const name of headers.keys()) result[name] = headers.get(name);
  return result;
}
