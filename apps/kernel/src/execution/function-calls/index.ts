// SPDX-License-Identifier: Apache-2.0
export { FunctionCalls, type FunctionCallOptions } from './function-calls.ts';
export { FunctionCallsController } from './function-calls.controller.ts';
