// SPDX-License-Identifier: Apache-2.0
import { errors, RequestError } from '@nats-io/transport-node';
import { Fault } from '@writ/contract';

/** Says what a failed request means to its caller. */
export function requestFault(subject: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  // It may have been handled: the caller asks again under the same key.
  if (error instanceof errors.TimeoutError) return new Fault('deadline', undefined, { cause: error });
  if (isNoResponders(error)) return new Fault('bus.unreachable', `nobody answers \`${subject}\``, { cause: error });
  if (isClosed(error)) return new Fault('bus.unreachable', 'the bus is closed', { cause: error });
  return new Fault('internal', undefined, { cause: error });
}

function isNoResponders(error: unknown): boolean {
  return error instanceof errors.NoRespondersError || (error instanceof RequestError && error.isNoResponders());
}

function isClosed(error: unknown): boolean {
  return error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError;
}
