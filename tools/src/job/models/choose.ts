// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { parseTranscript, TranscriptModel, type Model, type Transcript } from '@writ/agent-loop';
import { AnthropicModel, GeminiModel, OpenAiModel } from '@writ/model-http';

export interface ChosenModel {
  readonly model: Model;
  /** The task, the same for every model. */
  readonly prompt: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Reads a recorded run of the repository. */
export const readTranscript = (path: string): Transcript => parseTranscript(JSON.parse(readFileSync(path, 'utf8')));

/** Good at tools at a moderate price; WRIT_MODEL selects another. */
const ANTHROPIC_MODEL = 'claude-sonnet-5';
const OPENAI_MODEL = 'gpt-5.1';
const GEMINI_MODEL = 'gemini-3-flash';

/** A provider that a key in the environment selects, and its model. */
export interface ChosenProvider {
  readonly provider: 'anthropic' | 'openai' | 'gemini';
  readonly apiKey: string;
  readonly model: string;
  readonly baseUrl: string | undefined;
}

/** The first provider that the environment has a key of; null without one. */
export function chosenProvider(env: Env): ChosenProvider | null {
  const named = env['WRIT_MODEL'];
  const rows = [
    ['anthropic', 'ANTHROPIC', ANTHROPIC_MODEL],
    ['openai', 'OPENAI', OPENAI_MODEL],
    ['gemini', 'GEMINI', GEMINI_MODEL],
  ] as const;
  for (const [provider, prefix, model] of rows) {
    const apiKey = env[`${prefix}_API_KEY`];
    if (apiKey) return { provider, apiKey, model: named || model, baseUrl: env[`${prefix}_BASE_URL`] };
  }
  return null;
}

const ADAPTERS = { anthropic: AnthropicModel, openai: OpenAiModel, gemini: GeminiModel } as const;

/** A provider's model if there is a key for one, else the recorded run. */
export function chooseModel(env: Env, transcript: Transcript): ChosenModel {
  const { prompt } = transcript;
  const chosen = chosenProvider(env);
  if (chosen === null) return { prompt, model: new TranscriptModel(transcript) };
  const { provider, ...options } = chosen;
  return { prompt, model: new ADAPTERS[provider](options) };
}
