// SPDX-License-Identifier: Apache-2.0
// The client for pages in browsers: the routes alone. The verifier of receipts, which is nine tenths of the client's
// code, is a module of its own (verify.ts), so that a page loads it when somebody verifies.
export { ApiClient } from './api-client.ts';
export type { WritOptions } from './writ-options.ts';
export type { Download, Listed, ListPage, ServerEvent } from './answers.ts';
export type { Approvals, PendingOptions } from './approvals.ts';
export { ConnectionError, ProblemError, TimeoutError, UsageError, WritError } from './errors.ts';
export type { RequestOptions, Signal } from './options.ts';
// eslint-disable-next-line no-restricted-syntax -- the generated file names them, and a new route adds some
export type * from './generated/types.ts';
// eslint-disable-next-line no-restricted-syntax -- likewise
export type * from './generated/api-groups.ts';
