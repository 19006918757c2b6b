// SPDX-License-Identifier: Apache-2.0

/** A variable of `npm start`, for its help and the reference. All are optional texts. */
export interface StartVariable {
  /** a description without the default */
  readonly description: string;
  /** the default, in words */
  readonly otherwise?: string;
  readonly secret?: boolean;
}

const key = (provider: string): StartVariable => ({
  secret: true,
  description: `a key of ${provider}, whose model drives the agent instead of the transcript of the example`,
});
const baseUrl = (provider: string): StartVariable => ({
  description: `the base URL of an API like that of ${provider}`,
});

/** The variables of `npm start`. It passes variables of the services on to them. */
export const START_VARIABLES = {
  WRIT_HTTP_PORT: { description: 'the port of the API', otherwise: '7480, or the next free one' },
  WRIT_PUBLIC_URL: {
    description: 'the URL at which browsers reach the API and the console',
    otherwise: '`http://127.0.0.1` with the port of the API',
  },
  WRIT_KEY_SESSIONS: {
    description: 'whether people sign in to the console with an API key, for trials',
    otherwise: 'true',
  },
  WRIT_STATE_DIR: { description: 'the folder of all state', otherwise: '.writ' },
  WRIT_DATABASE_URL: {
    secret: true,
    description: 'a Postgres of yours: URL of a superuser, or of an owner of roles',
    otherwise: 'an embedded Postgres',
  },
  WRIT_NATS_URL: { description: 'a NATS server of yours', otherwise: 'a local one' },
  DOCKER_HOST: { description: 'a Docker engine of yours', otherwise: 'a local one' },
  WRIT_SANDBOX_BASE: { description: 'the image to build sandboxes on', otherwise: 'Debian' },
  ANTHROPIC_API_KEY: key('Anthropic'),
  OPENAI_API_KEY: key('OpenAI'),
  GEMINI_API_KEY: key('Gemini'),
  ANTHROPIC_BASE_URL: baseUrl('Anthropic'),
  OPENAI_BASE_URL: baseUrl('OpenAI'),
  GEMINI_BASE_URL: baseUrl('Gemini'),
  WRIT_MODEL: { description: "the provider's model", otherwise: 'one that is good at tools' },
  NO_COLOR: { description: 'any text turns colours off' },
} as const satisfies Readonly<Record<string, StartVariable>>;

/** The lines of the variables in the help of `npm start`. */
export function variableLines(): string {
  const variables: readonly (readonly [string, StartVariable])[] = Object.entries(START_VARIABLES);
  const width = Math.max(...variables.map(([name]) => name.length));
  return variables
    .map(([name, { description, otherwise }]) => {
      const text = otherwise === undefined ? description : `${description} (${otherwise})`;
      return `  ${name.padEnd(width)}  ${text}`;
    })
    .join('\n');
}
