// SPDX-License-Identifier: Apache-2.0
export { Api, type Answer, type JsonValue } from './api.ts';
export { BusExecutor, type Report, type Rung, type AttemptCredentials } from './bus-executor.ts';
export { makeKeys, type StackKeys } from './keys.ts';
export { Observer } from './observer.ts';
export { openOutside, type Outside } from './outside.ts';
export { Proxy, type Direction } from './proxy.ts';
export { receiptOfCall, type CallReceipt } from './receipt-of-call.ts';
export { decisionRecord } from './records.ts';
export { mustSayYes, sayYes } from './say-yes.ts';
export { runMark, Service } from './service.ts';
export { silence } from './silence.ts';
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
export { expectCleanLog, expectWhole, fsck, verifiedReceipt, type Checked } from './whole.ts';
export { eventually, makeWorld, type World, type WorldOptions } from './world.ts';
