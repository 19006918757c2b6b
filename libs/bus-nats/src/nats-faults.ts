// SPDX-License-Identifier: Apache-2.0
import { errors, RequestError } from '@nats-io/transport-node';
import { Fault } from '@writ/contract';

/** Maps the error of a failed request to the fault for its caller. */
export function requestFault(subject: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  // The request may have been handled, so the caller retries it under the same key.
  if (isTimeout(error)) return new Fault('deadline', undefined, { cause: error });
  if (isNoResponders(error)) return new Fault('bus.unreachable', `nobody answers \`${subject}\``, { cause: error });
  if (isClosed(error)) return new Fault('bus.unreachable', 'the bus is closed', { cause: error });
  return new Fault('internal', undefined, { cause: error });
}

/** Answers whether the server reported that the subject has no subscriber (NATS 2.2, status 503). */
export function isNoResponders(error: unknown): boolean {
  return error instanceof errors.NoRespondersError || (error instanceof RequestError && error.isNoResponders());
}

/** Answers whether no reply came in time. The client wraps every other failure of a request, but not this one. */
export const isTimeout = (error: unknown): boolean => error instanceof errors.TimeoutError;

function isClosed(error: unknown): boolean {
  return error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError;
}
