// SPDX-License-Identifier: Apache-2.0
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The models of the shared stack that specs serve themselves. The orchestrator reads its models only at its start. So
 * each spec has its own address here, and serves its models there while it runs.
 */
const SERVED = {
  chat: ['chat'],
  'dialect-scenes': ['asks', 'mends', 'fails', 'looks'],
  'run-replay': ['run-replay'],
  skills: ['skills'],
  gateway: ['gateway'],
  'talk-blocks': ['talk-blocks'],
  'talk-capability': ['talk-capability'],
  'talk-tools-xml': ['talk-tools-xml'],
  'talk-yips': ['talk-yips'],
  'talk-loop': ['talk-loop'],
} as const;

/** A spec that serves models of the shared stack. */
export type ModelServer = keyof typeof SERVED;

/** A model that replies with one sentence. No server is needed: the stack reads the reply from a file. */
export const RECORDED_MODEL = 'recorded';
const RECORDING = { v: 1, model: 'none', prompt: 'do it', turns: [{ text: 'Done.', calls: [], stop: 'end' }] };

const PRICES = { prices: { input: 1_000_000, cached: 1_000_000, output: 10_000_000 }, currency: 'EUR' };

/** A port below the range of ephemeral ports. */
const FIRST_PORT = 20_000;

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The address where a spec serves its models, on the loopback address of this test run. */
export const addressOfModels = (host: string, server: ModelServer): Address => ({
  host,
  port: FIRST_PORT + Object.keys(SERVED).indexOf(server),
});

/**
 * Chooses a random loopback address for one test run. Nothing else listens on it, so its ports need no reservation.
 * Linux routes all of 127.0.0.0/8 to the loopback interface (Documentation/networking/ip-sysctl, `route_localnet`).
 */
export const randomLoopbackAddress = (): string => `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;

/** Writes the models file of the shared stack, and the files that it names. */
export function writeModelsFile(folder: string, host: string): string {
  const file = join(folder, 'models.json');
  writeFileSync(join(folder, 'key'), 'sk-of-the-shared-stack-0123456789');
  writeFileSync(join(folder, 'recording.json'), JSON.stringify(RECORDING));
  const served = (Object.keys(SERVED) as ModelServer[]).flatMap((server) => {
    const { port } = addressOfModels(host, server);
    const provider = { provider: 'openai', base_url: `http://${host}:${port}/v1`, key_file: 'key', ...PRICES };
    return SERVED[server].map((name) => ({ name, model: name, ...provider }));
  });
  const recorded = { name: RECORDED_MODEL, provider: 'transcript', transcript_file: 'recording.json' };
  writeFileSync(file, JSON.stringify({ models: [...served, recorded] }));
  return file;
}
