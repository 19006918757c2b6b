// SPDX-License-Identifier: Apache-2.0
//
// A real Chromium that opens the page and is given files, as a person would do it. Not part of the page.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The inputs of one verification. */
export interface PageInput {
  readonly receipt: string;
  readonly trust: string;
  readonly operation?: string;
}

/** What the page shows: its verdict attribute and its text. */
export interface PageOutput {
  readonly verdict: string | undefined;
  readonly text: string;
}

const CHROMIUM = process.env['WRIT_TEST_CHROMIUM'] ?? 'chromium';

/** Why there is no browser on this machine; null where there is one. */
export const reasonWithoutBrowser = (): string | null =>
  spawnSync(CHROMIUM, ['--version']).status === 0
    ? null
    : 'Chromium is missing: `apt-get install chromium`, or its path in WRIT_TEST_CHROMIUM';

/**
 * Runs next to the page and puts files into it through its own inputs: the page's policy allows no other script in it.
 */
const HARNESS = `<!doctype html><iframe src="/page"></iframe><script>
const frame = document.querySelector('iframe');
const choose = (id, text) => {
  const files = new DataTransfer();
  files.items.add(new File([text], id + '.json'));
  frame.contentDocument.querySelector('#' + id).files = files.files;
};
frame.onload = async () => {
  const output = frame.contentDocument.querySelector('#verdict');
  const shown = [];
  for (const { receipt, trust, operation } of await (await fetch('/chosen')).json()) {
    delete output.dataset.verdict;
    choose('receipt', receipt);
    choose('trust', trust);
    const name = frame.contentDocument.querySelector('#operation');
    name.value = operation ?? '';
    name.dispatchEvent(new Event('change'));
    while (output.dataset.verdict === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    shown.push({ verdict: output.dataset.verdict, text: output.textContent });
  }
  const markup = frame.contentDocument.querySelectorAll('output b, output img').length;
  await fetch('/shown', { method: 'POST', body: JSON.stringify({ shown, markup }) });
};
</script>`;

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
  return body;
}

/** Verifies each of these with the page, one by one. `requests` lists every path that the browser requested. */
export async function verifyInBrowser(
  page: string,
  chosen: readonly PageInput[],
): Promise<{ shown: PageOutput[]; markup: number; requests: string[] }> {
  const requests: string[] = [];
  const { promise, resolve } = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const { url = '' } = request;
    requests.push(url);
    if (url === '/shown')
      void bodyOf(request).then((body) => {
        response.end();
        resolve(body);
      });
    else if (url === '/chosen') response.end(JSON.stringify(chosen));
    else
      response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .end(url === '/page' ? page : url === '/' ? HARNESS : '');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const profile = mkdtempSync(join(tmpdir(), 'writ-page-'));
  const { port } = server.address() as AddressInfo;
  // In its own process group, since a browser is several processes. Without its sandbox, which root can't have: it
  // opens only this page.
  const args = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    '--no-first-run',
    `--user-data-dir=${profile}`,
    `http://127.0.0.1:${String(port)}/`,
  ];
  const browser = spawn(CHROMIUM, args, { stdio: 'ignore', detached: true });
  try {
    const ended = once(browser, 'exit').then(([code]) => {
      throw new Error(`the browser ended with ${String(code)}`);
    });
    return {
      ...(JSON.parse(await Promise.race([promise, ended])) as { shown: PageOutput[]; markup: number }),
      requests,
    };
  } finally {
    const gone = once(browser, 'exit');
    if (browser.pid !== undefined && browser.exitCode === null) {
      process.kill(-browser.pid, 'SIGKILL');
      await gone;
    }
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 20 });
  }
}
