// SPDX-License-Identifier: Apache-2.0
import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';

/**
 * Lets what a handler threw through to the transport, which tells Faults to the requester and reports the rest. Nest's
 * own filter would replace both by a text.
 */
export class FaultFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

// Applied by hand: this library also runs straight from its sources, where decorators aren't understood.
Catch()(FaultFilter);
