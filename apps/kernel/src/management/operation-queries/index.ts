// SPDX-License-Identifier: Apache-2.0
export { ListOperations } from './list-operations.ts';
export { OperationsController } from './operations.controller.ts';
export { ReadOperation } from './read-operation.ts';
export { ReadOutput } from './read-output.ts';
export { ReadRequests } from './read-requests.ts';
export { ReadResult } from './read-result.ts';
