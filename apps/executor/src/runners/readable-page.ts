// SPDX-License-Identifier: Apache-2.0
import { Worker } from 'node:worker_threads';
import { GateRefusal } from '../egress/gate-refusal.ts';

export interface Page {
  readonly title: string | null;
  readonly text: string;
}

/** No honest page takes longer to parse. */
const READ_MS_MAX = 5_000;
const HEAP_MIB_MAX = 256;

/** Next to this file, as TypeScript or JavaScript like this file. */
const WORKER = new URL(`./page-reader.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

/**
 * The readable text of a page. The page is untrusted: a separate thread with little time and memory parses it, so that
 * it can't stall the executor. @throws GateRefusal `egress.failed` where parsing fails
 */
export async function readablePage(html: string, url: string, signal: AbortSignal): Promise<Page> {
  const worker = new Worker(WORKER, {
    workerData: { html, url },
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX },
    stdout: true,
    stderr: true,
  });
  const until = AbortSignal.any([signal, AbortSignal.timeout(READ_MS_MAX)]);
  try {
    return await new Promise<Page>((resolve, reject) => {
      const fail = () => reject(new GateRefusal('egress.failed', 'the page could not be read'));
      worker.once('message', resolve).once('error', fail).once('exit', fail);
      until.addEventListener('abort', fail, { once: true });
    });
  } finally {
    await worker.terminate();
  }
}
