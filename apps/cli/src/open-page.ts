// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';

/** The program of each system that opens an address in the person's browser. No shell reads the address. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const ELSEWHERE = ['xdg-open'] as const;

/** Opens an address; resolves with false where the program for it is missing or there is no display. */
export async function openPage(url: string, hasDisplay: boolean): Promise<boolean> {
  const [program = '', ...args] = OPENERS[process.platform] ?? ELSEWHERE;
  const needsDisplay = OPENERS[process.platform] === undefined;
  if (needsDisplay && !hasDisplay) return false;
  return await new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
