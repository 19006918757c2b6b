// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyInBrowser, reasonWithoutBrowser } from './browser.contract.ts';
import { judge } from './judge.ts';
import {
  DEPLOYMENT,
  keysFile,
  NOW,
  OPERATION_ID,
  policyFile,
  receiptFile,
  reformattedFile,
  tamperedFiles,
} from './sample.contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'writ-page-'));
let page: string;
beforeAll(() => {
  const file = join(folder, 'page.html');
  execFileSync(process.execPath, [join(import.meta.dirname, '../bundle.mjs'), file]);
  page = readFileSync(file, 'utf8');
}, 120_000);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

it('the page is one file that uses nothing of Node.js and may open no connection', () => {
  expect(page).toContain("default-src 'none'; script-src 'sha256-");
  expect(
    page.match(/["']node:[a-z]+|\brequire\(|\bBuffer\.from\b|<script src|<link|https?:\/\/[^\s"'`]*\.js\b/g),
  ).toBeNull();
});

const why = reasonWithoutBrowser();
const describeBrowser = why === null ? describe : describe.skip;

describeBrowser(`in Chromium${why === null ? '' : ` (skipped: ${why})`}`, () => {
  const MARKUP = `{"record_keys":[],"log_keys":["<img src=x><b>+${'0'.repeat(8)}+AA=="]}`;
  const INPUTS = [
    { receipt: receiptFile, trust: keysFile },
    { receipt: receiptFile, trust: policyFile(), operation: ` ${OPERATION_ID} ` },
    { receipt: reformattedFile, trust: policyFile() },
    { receipt: receiptFile, trust: policyFile(undefined, { quorum: 1 }) },
    { receipt: receiptFile, trust: policyFile('other.example') },
    { receipt: receiptFile, trust: keysFile, operation: '<b>op</b>' },
    { receipt: receiptFile, trust: MARKUP },
    ...Object.values(tamperedFiles).map((receipt) => ({ receipt, trust: keysFile })),
  ];

  it('the page shows the same verdicts as in Node.js, sends no request and renders no text as markup', async () => {
    const { shown, markup, requests } = await verifyInBrowser(page, INPUTS);
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    for (const [i, { receipt, trust, operation = '' }] of (
      INPUTS as { receipt: string; trust: string; operation?: string }[]
    ).entries()) {
      const { isGood, summary, lines } = judge(
        { receipt: bytes(receipt), trust: bytes(trust), operation: operation.trim() },
        NOW,
      );
      expect([i, shown[i]]).toEqual([i, { verdict: isGood ? 'good' : 'bad', text: summary + lines.join('') }]);
    }
    expect(shown.map(({ verdict }) => verdict)).toEqual([
      ...Array.from({ length: 3 }, () => 'good'),
      ...Array.from({ length: INPUTS.length - 3 }, () => 'bad'),
    ]);
    expect(shown[0]!.text).toContain(`Deployment: ${DEPLOYMENT}`);
    expect(markup).toBe(0);
    expect(requests.filter((path) => path !== '/favicon.ico').sort()).toEqual(['/', '/chosen', '/page', '/shown']);
  }, 240_000);
});
