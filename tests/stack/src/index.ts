// SPDX-License-Identifier: Apache-2.0
export { Api, type Answer, type JsonValue } from './api.ts';
export { BusExecutor, type Report, type ReceivedPermit, type AttemptCredentials } from './bus-executor.ts';
export { makeKeys, type StackKeys } from './keys.ts';
export { Operator, type DoctorRun } from './doctor.ts';
export { Observer } from './observer.ts';
export { openFakeInternet, type FakeInternet } from './fake-internet.ts';
export { answers, HttpShop, type ShopRequest } from './http-shop.ts';
export { Proxy, type Direction } from './proxy.ts';
export { receiptOfCall, type CallReceipt } from './receipt-of-call.ts';
export { decisionRecord } from './records.ts';
export { mustApproveShown, approveShown } from './approve-shown.ts';
export { runMark, Service } from './service.ts';
export { freezeUntilUnassigned } from './freeze-until-unassigned.ts';
export { RECORDED_MODEL, type ModelServer } from './shared-models.ts';
export { PROCESS_MARKER, serveModels, sharedStack } from './shared-stack.ts';
export { DEPLOYMENT, passwordOf, SHARD, startStack, type SharedStack, type Stack, type StackOptions } from './stack.ts';
export {
  callToItsEnd,
  closedLoad,
  expectNothingLost,
  openLoad,
  pacedLoad,
  PATIENT,
  STANDARD_RETRIES,
  triesOf,
  warmUp,
  type Ended,
  type Load,
  type RetryRules,
} from './steady-load.ts';
export { expectCleanLog, expectConsistent, fsck, verifiedReceipt, type Checked } from './expect-consistent.ts';
export { FunctionWorker, type AttemptProof } from './function-worker.ts';
export { eventually, makeWorld, type World, type WorldOptions } from './world.ts';
