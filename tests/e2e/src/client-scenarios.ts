// SPDX-License-Identifier: Apache-2.0
import type { Step } from '@writ/client/contract';

/** What is recorded for the client libraries: sdk/vectors/README.md. */
export const SCENARIOS: readonly { readonly name: string; readonly steps: readonly Step[] }[] = [
  {
    name: 'a call that succeeds',
    steps: [
      { do: 'call', as: 'read', tool: 'fs.read', args: { path: 'a.txt' }, key: 'read-1' },
      { do: 'result', of: 'read' },
      { do: 'receipt', of: 'read' },
    ],
  },
  {
    name: 'a call with a key that was used before is the same call',
    steps: [
      { do: 'call', as: 'one', tool: 'fs.write', args: { path: 'b.txt', content: 'x' }, key: 'write-1' },
      { do: 'call', as: 'again', tool: 'fs.write', args: { path: 'b.txt', content: 'x' }, key: 'write-1' },
      { do: 'call', as: 'other', tool: 'fs.write', args: { path: 'c.txt', content: 'x' }, key: 'write-1' },
    ],
  },
  {
    name: 'a call that its token does not allow is refused',
    steps: [
      { do: 'call', as: 'write', tool: 'fs.write', args: { path: 'locked/x.txt', content: 'x' }, key: 'locked-1' },
      { do: 'result', of: 'write' },
      { do: 'receipt', of: 'write' },
    ],
  },
  {
    name: 'a command that fails changes nothing',
    steps: [
      { do: 'call', as: 'fails', tool: 'shell.run', args: { command: 'echo x > d.txt; exit 3' }, key: 'fails-1' },
      { do: 'result', of: 'fails' },
    ],
  },
  {
    name: 'a call that a person approves',
    steps: [
      { do: 'call', as: 'risky', tool: 'shell.run', args: { command: 'rm -rf src' }, key: 'approved-1' },
      { do: 'approve', of: 'risky', comment: 'go on' },
      { do: 'result', of: 'risky' },
      { do: 'receipt', of: 'risky' },
    ],
  },
  {
    name: 'a call that a person denies',
    steps: [
      { do: 'call', as: 'risky', tool: 'shell.run', args: { command: 'rm -rf docs' }, key: 'denied-1' },
      { do: 'deny', of: 'risky', comment: 'no' },
      { do: 'result', of: 'risky' },
    ],
  },
  {
    name: 'a call that its proposer cancels',
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
