// SPDX-License-Identifier: Apache-2.0
export {
  Bus,
  type BusHeaders,
  type BusMessage,
  type RequestOptions,
  type RingOptions,
  type ServeOptions,
  type Subscription,
  type Work,
  type WorkMessage,
  type WorkOptions,
} from './bus.ts';
export { parseDeadline, requestHeaders, verifyTimeLeft } from './deadline.ts';
export { encodeFault, encodeOk, encodePayload, messageBytesMax, parsePayload, parseReply } from './envelope.ts';
export { MemoryBus, memoryBus, type MemoryBusOptions } from './memory-bus.ts';
export { Serving, type Surroundings } from './serving.ts';
export { failedWorkDelayMs, handleOnce } from './settle-once.ts';
export { isSubjectMatch } from './subject-match.ts';
export { noTrace, type TraceHooks } from './trace-hooks.ts';
export { UnderWay } from './under-way.ts';
