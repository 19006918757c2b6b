// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseTranscript, type Prices, type Transcript } from '@writ/agent-loop';
import { Fault, parseMessage } from '@writ/contract';
import { parseJson } from '@writ/digest';
import { readSecretFile } from '@writ/nest-kit';
import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false } as const;
export const PROVIDERS = ['openai', 'anthropic', 'gemini', 'transcript'] as const;
export type Provider = (typeof PROVIDERS)[number];

const Price = Type.Integer({ minimum: 0, description: 'millionths of the currency for a million tokens' });
const common = {
  name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$', description: 'its name for sessions' }),
  prices: Type.Optional(Type.Object({ input: Price, cached: Price, output: Price }, closed)),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217' })),
  context_tokens_max: Type.Optional(
    Type.Integer({ minimum: 1_000, description: 'above it older rounds are summarised' }),
  ),
};

/** One configured model, as written in the file. */
const ModelRow = Type.Union([
  Type.Object(
    {
      ...common,
      provider: Type.Enum(['openai', 'anthropic', 'gemini']),
      model: Type.String({ minLength: 1, maxLength: 128, description: 'its name at the provider' }),
      base_url: Type.Optional(Type.String({ pattern: '^https?://', description: "default: the provider's own" })),
      key_file: Type.String({ minLength: 1, description: "a file with the provider's API key, relative to this file" }),
      reply_tokens_max: Type.Optional(Type.Integer({ minimum: 1 })),
      idle_ms: Type.Optional(
        Type.Integer({ minimum: 1_000, maximum: 3_600_000, description: 'longest pause in a response' }),
      ),
    },
    closed,
  ),
  Type.Object(
    {
      ...common,
      provider: Type.Literal('transcript'),
      transcript_file: Type.String({ minLength: 1, description: 'a recorded run, relative to this file' }),
    },
    closed,
  ),
]);

/** The content of `WRIT_MODELS_FILE`. */
export const ModelsFile = Type.Object({ models: Type.Array(ModelRow, { maxItems: 100 }) }, closed);

interface Common {
  readonly name: string;
  readonly reply_tokens_max?: number | undefined;
  readonly prices: Prices | null;
  readonly currency: string | null;
  readonly context_tokens_max: number | null;
}

/** A configured model, with the contents of its files. */
export type ConfiguredModel = Common &
  (
    | {
        readonly provider: Exclude<Provider, 'transcript'>;
        readonly model: string;
        readonly base_url: string | undefined;
        readonly apiKey: string;
        readonly idle_ms: number | undefined;
      }
    | { readonly provider: 'transcript'; readonly model: string; readonly transcript: Transcript }
  );

/**
 * Reads the models of a deployment. Throws for an invalid file, or an invalid file that it refers to, with its name and
 * never its content.
 */
export function readModelsFile(path: string): ConfiguredModel[] {
  const { models } = read(path, 'WRIT_MODELS_FILE', (value) => parseMessage(ModelsFile, value));
  const names = models.map(({ name }) => name);
  const twice = names.find((name, n) => names.indexOf(name) !== n);
  if (twice !== undefined) throw new Error(`WRIT_MODELS_FILE: the name \`${twice}\` is there twice`);
  return models.map((row) => withFiles(row, dirname(path)));
}

function withFiles(row: Static<typeof ModelRow>, folder: string): ConfiguredModel {
  const { name, prices = null, currency = null, context_tokens_max = null } = row;
  const shared = { name, prices, currency, context_tokens_max };
  if (row.provider === 'transcript') {
    const transcript = read(
      resolve(folder, row.transcript_file),
      `WRIT_MODELS_FILE: the transcript of \`${name}\``,
      parseTranscript,
    );
    return { ...shared, provider: row.provider, model: transcript.model, transcript };
  }
  const apiKey = readSecretFile(`WRIT_MODELS_FILE: the key of \`${name}\``, resolve(folder, row.key_file));
  return {
    ...shared,
    provider: row.provider,
    model: row.model,
    base_url: row.base_url,
    apiKey,
    reply_tokens_max: row.reply_tokens_max,
    idle_ms: row.idle_ms,
  };
}

/** Why costs of these models cannot be summed: a cost limit needs one currency. Null where they can. */
export function currencyProblem(models: readonly Pick<ConfiguredModel, 'prices' | 'currency'>[]): string | null {
  const currencies = new Set(models.filter(({ prices }) => prices !== null).map(({ currency }) => currency));
  if (currencies.size <= 1) return null;
  return `WRIT_RUN_COST_PER_DAY_MAX counts in one currency, and models have prices in ${[...currencies]
    .map((currency) => currency ?? 'none that is named')
    .sort()
    .join(', ')}`;
}

function read<T>(path: string, what: string, parse: (value: unknown) => T): T {
  try {
    return parse(parseJson(readFileSync(path, 'utf8')));
  } catch (error) {
    // A parser's message may quote the file.
    const why =
      error instanceof Fault
        ? `${error.detail ?? 'it is not as it should be'}`
        : ((error as { code?: string }).code ?? 'it is no JSON');
    throw new Error(
      `${what}: \`${path}\` can't be read: ${why}`,
      error instanceof Fault ? { cause: error } : undefined,
    );
  }
}
