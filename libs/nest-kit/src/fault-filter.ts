// SPDX-License-Identifier: Apache-2.0
import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';

/**
 * Passes on whatever a handler threw to the transport. The transport sends Faults to the requester and reports all
 * other errors. Nest's own filter would replace both by a text.
 */
export class FaultFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

// Applied as a function: this library also runs straight from its sources, where Node.js does not support decorators.
Catch()(FaultFilter);
