// SPDX-License-Identifier: Apache-2.0
export { Writ } from './writ.ts';
export type { WritOptions } from './writ-options.ts';
export {
  declarationsOf,
  type FunctionDeclaration,
  type GovernedTool,
  type GovernedTools,
  type JsonSchema,
} from './adapters/governed-tool.ts';
export {
  governed,
  type Admitted,
  type Answer,
  type Done,
  type FrameworkCall,
  type Governed,
  type GovernedClient,
  type GovernOptions,
} from './adapters/governed.ts';
export type { Denied, Held } from './adapters/denials.ts';
export type { Telemetry, TelemetrySpan } from './adapters/telemetry.ts';
export type { Download, Listed, ListPage, ServerEvent } from './answers.ts';
export type { Approvals, PendingOptions } from './approvals.ts';
export type {
  Call,
  CallOptions,
  DecidedCall,
  FailedCall,
  HeldCall,
  OkCall,
  RefusedCall,
  RunningCall,
  SettledCall,
  WaitOptions,
} from './calls.ts';
export {
  CallError,
  CallFailedError,
  CallRefusedError,
  ConnectionError,
  NoEffectError,
  ProblemError,
  ReceiptVerificationError,
  TimeoutError,
  UsageError,
  WritError,
} from './errors.ts';
export type { FunctionContext, OwnFunction } from './functions.ts';
export { CallReceipt, verifyReceipt } from './receipts.ts';
export type { ExpectedReceipt, TrustedKeys, VerifiedReceipt } from './verified-receipt.ts';
export type { RequestOptions, Signal } from './options.ts';
// eslint-disable-next-line no-restricted-syntax -- the generated file names them, and a new route adds some
export type * from './generated/types.ts';
// eslint-disable-next-line no-restricted-syntax -- likewise
export type * from './generated/api-groups.ts';
