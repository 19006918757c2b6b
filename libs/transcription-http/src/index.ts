// SPDX-License-Identifier: Apache-2.0
export {
  OpenAiTranscriber,
  type HttpReply,
  type HttpRequest,
  type OpenAiTranscriberOptions,
  type SendRequest,
} from './openai-transcriber.ts';
