// SPDX-License-Identifier: Apache-2.0
export { AnthropicModel } from './anthropic-model.ts';
export { GeminiModel } from './gemini-model.ts';
export { OpenAiModel } from './openai-model.ts';
export { IDLE_MS, REPLY_TOKENS_MAX, type ProviderOptions } from './provider.ts';
