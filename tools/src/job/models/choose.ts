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

/** A provider's model if there is a key for one, else the recorded run. */
export function chooseModel(env: Env, transcript: Transcript): ChosenModel {
  const { prompt } = transcript;
  const named = env['WRIT_MODEL'];
  const anthropic = env['ANTHROPIC_API_KEY'];
  if (anthropic)
    return {
      prompt,
      model: new AnthropicModel({
        apiKey: anthropic,
        model: named || ANTHROPIC_MODEL,
        baseUrl: env['ANTHROPIC_BASE_URL'],
      }),
    };
  const openai = env['OPENAI_API_KEY'];
  if (openai)
    return {
      prompt,
      model: new OpenAiModel({ apiKey: openai, model: named || OPENAI_MODEL, baseUrl: env['OPENAI_BASE_URL'] }),
    };
  const gemini = env['GEMINI_API_KEY'];
  if (gemini)
    return {
      prompt,
      model: new GeminiModel({ apiKey: gemini, model: named || GEMINI_MODEL, baseUrl: env['GEMINI_BASE_URL'] }),
    };
  return { prompt, model: new TranscriptModel(transcript) };
}
