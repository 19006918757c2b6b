// SPDX-License-Identifier: Apache-2.0
export {
  Bus,
  type BusHeaders,
  type BusMessage,
  type RequestOptions,
  type EnqueueOptions,
  type ServeOptions,
  type Subscription,
  type WorkSubscription,
  type WorkMessage,
  type WorkOptions,
} from './bus.ts';
export { parseDeadline, requestHeaders, verifyTimeLeft } from './deadline.ts';
export { encodeFault, encodeOk, encodePayload, messageBytesMax, parsePayload, parseReply } from './envelope.ts';
export { MemoryBus, memoryBus, type MemoryBusOptions } from './memory-bus.ts';
export { RequestServer, type BusDependencies } from './request-server.ts';
export { failedWorkDelayMs, handleOnce } from './handle-once.ts';
export { isSubjectMatch } from './subject-match.ts';
export { noTrace, type TraceHooks } from './trace-hooks.ts';
export { InFlight } from './in-flight.ts';
export { withAddedMembers } from './with-added-members.ts';
