// SPDX-License-Identifier: Apache-2.0
export { ExternalCalls, type ExternalOptions } from './external-calls.ts';
export { ExternalCallsController } from './external-calls.controller.ts';
