// SPDX-License-Identifier: Apache-2.0
import { Worker } from 'node:worker_threads';
import { GateRefusal } from '../egress/gate-error.ts';

export interface Page {
  readonly title: string | null;
  readonly text: string;
}

/** A page that takes longer to read is made to be so. */
const READ_MS_MAX = 5_000;
const HEAP_MIB_MAX = 256;

/** Beside this file, in whichever form this file is run in. */
const WORKER = new URL(`./page-reader.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

/**
 * What a person would read of a page. The page is a stranger's: it is taken apart in a thread of its own, with little
 * time and memory, so that it can stall nobody. @throws GateRefusal `egress.failed` where nothing comes of it
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
