// SPDX-License-Identifier: Apache-2.0
export {
  OpenAiTranscriber,
  REPLY_BYTES_MAX,
  type HttpReply,
  type HttpRequest,
  type OpenAiTranscriberOptions,
  type ReadReply,
  type SendRequest,
} from './openai-transcriber.ts';
export { transcriptOf } from './verbose-json.ts';
