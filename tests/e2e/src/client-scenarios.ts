// SPDX-License-Identifier: Apache-2.0
import type { Step } from '@writ/client/contract';

interface RecordedScenario {
  readonly name: string;
  /** what the first call must be, so that none is recorded which isn't what its name says; absent: an error, or none */
  readonly begins?: 'ok' | 'refused' | 'failed' | 'held';
  readonly steps: readonly Step[];
}

/** What is recorded for the client libraries: sdk/vectors/README.md. */
export const SCENARIOS: readonly RecordedScenario[] = [
  {
    name: 'a call that succeeds',
    begins: 'ok',
    steps: [
      { do: 'call', as: 'read', tool: 'fs.read', args: { path: 'a.txt' }, key: 'read-1' },
      { do: 'result', of: 'read' },
      { do: 'receipt', of: 'read' },
    ],
  },
  {
    name: 'a call with a key that was used before is the same call',
    begins: 'ok',
    steps: [
      { do: 'call', as: 'one', tool: 'fs.write', args: { path: 'b.txt', content: 'x' }, key: 'write-1' },
      { do: 'call', as: 'again', tool: 'fs.write', args: { path: 'b.txt', content: 'x' }, key: 'write-1' },
      { do: 'call', as: 'other', tool: 'fs.write', args: { path: 'c.txt', content: 'x' }, key: 'write-1' },
    ],
  },
  {
    name: 'a call that its token does not allow is refused',
    begins: 'refused',
    steps: [
      { do: 'call', as: 'get', tool: 'web.fetch', args: { url: 'https://example.org/' }, key: 'not-granted-1' },
      { do: 'result', of: 'get' },
      { do: 'receipt', of: 'get' },
    ],
  },
  {
    name: 'a command that fails changes nothing',
    begins: 'failed',
    steps: [
      { do: 'call', as: 'fails', tool: 'shell.run', args: { command: 'echo x > d.txt; exit 3' }, key: 'fails-1' },
      { do: 'result', of: 'fails' },
    ],
  },
  {
    name: 'a call that a person approves',
    begins: 'held',
    steps: [
      { do: 'call', as: 'risky', tool: 'shell.run', args: { command: 'rm -rf src' }, key: 'approved-1' },
      { do: 'approve', of: 'risky', comment: 'go on' },
      { do: 'result', of: 'risky' },
      { do: 'receipt', of: 'risky' },
    ],
  },
  {
    name: 'a call that a person denies',
    begins: 'held',
    steps: [
      { do: 'call', as: 'risky', tool: 'shell.run', args: { command: 'rm -rf docs' }, key: 'denied-1' },
      { do: 'deny', of: 'risky', comment: 'no' },
      { do: 'result', of: 'risky' },
    ],
  },
  {
    name: 'a call that its proposer cancels',
    begins: 'held',
    steps: [
      { do: 'call', as: 'risky', tool: 'shell.run', args: { command: 'rm -rf docs' }, key: 'cancelled-1' },
      { do: 'cancel', of: 'risky' },
      { do: 'result', of: 'risky' },
    ],
  },
  {
    name: 'a request that is malformed is a problem',
    steps: [{ do: 'call', as: 'bad', tool: 'fs.read', args: { path: 'a.txt' }, key: 'malformed-1', wait_ms: 60_000 }],
  },
  { name: 'a list is read page by page', steps: [{ do: 'list', limit: 3 }] },
];
