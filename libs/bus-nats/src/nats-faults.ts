// SPDX-License-Identifier: Apache-2.0
import { errors, RequestError } from '@nats-io/transport-node';
import { Fault } from '@writ/contract';

/** Says what a failed request means to its caller. */
export function requestFault(subject: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  // It may have been handled: the caller asks again under the same key.
  if (isTimeout(error)) return new Fault('deadline', undefined, { cause: error });
  if (isNoResponders(error)) return new Fault('bus.unreachable', `nobody answers \`${subject}\``, { cause: error });
  if (isClosed(error)) return new Fault('bus.unreachable', 'the bus is closed', { cause: error });
  return new Fault('internal', undefined, { cause: error });
}

/**
 * The server said that nobody is subscribed to the subject of a message that names where to answer (NATS 2.2, status
 * 503).
 */
export function isNoResponders(error: unknown): boolean {
  return error instanceof errors.NoRespondersError || (error instanceof RequestError && error.isNoResponders());
}

/** Nothing came back in time. The client wraps every other failure of a request, but not this one. */
export const isTimeout = (error: unknown): boolean => error instanceof errors.TimeoutError;

function isClosed(error: unknown): boolean {
  return error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError;
}
