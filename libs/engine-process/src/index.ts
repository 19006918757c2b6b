// SPDX-License-Identifier: Apache-2.0
export { EngineProcess, type EngineProcessOptions } from './engine-process.ts';
export { encodeMessage, MessageReader, requestsOf, sendReply, type ReceivedMessage } from './message.ts';
