// SPDX-License-Identifier: Apache-2.0
//
// Engines that misbehave, for specs of what starts them. Each speaks the real protocol up to where it fails.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { requestsOf, sendReply } from '@writ/engine-process';

const [behaviour = ''] = (process.argv[2] ?? '').split('/').slice(-1);

const say = (reply: object): void => sendReply(process.stdout, reply);
const answer = (text: string): void =>
  say({
    is: 'answer',
    transcript: { text, language: null, confidence: null, duration_ms: 0, words: [], segments: [] },
  });

/** What the attempt gives, or the code of the error that prevents it. */
const attempt = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
};

const looksAround = (): object => ({
  variables: Object.keys(process.env),
  interfaces: Object.keys(networkInterfaces()),
  passwd: attempt(() => readFileSync('/etc/passwd', 'utf8').length),
  root: attempt(() => readdirSync('/').length),
  temporary: attempt(() => {
    writeFileSync('/tmp/writ-engine', 'x');
    return 'written';
  }),
  children: attempt(() => process.getBuiltinModule('node:child_process').spawnSync('true').status),
  oom: attempt(() => readFileSync('/proc/self/oom_score_adj', 'utf8')),
});

const ON_CALL: Readonly<Record<string, () => void>> = {
  crashes: () => process.kill(process.pid, 'SIGSEGV'),
  exits: () => process.exit(3),
  hangs: () => setInterval(() => undefined, 1_000),
  'spins for ever': () => {
    for (;;);
  },
  babbles: () => process.stdout.write(Buffer.alloc(100_000, 0xff)),
  'says no JSON': () => process.stdout.write(Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, ...Buffer.from('no!')])),
  'lies about times': () =>
    say({
      is: 'answer',
      transcript: {
        text: 'x',
        language: 'en',
        confidence: 1,
        duration_ms: 10,
        words: [{ text: 'x', start_ms: 5, end_ms: 2_000, confidence: 1 }],
        segments: [],
      },
    }),
  'claims any fault': () => say({ is: 'fault', code: 'policy.denied', detail: 'x' }),
  'eats memory': () => {
    const kept: Buffer[] = [];
    for (;;) kept.push(Buffer.alloc(16 * 1024 * 1024, 1));
  },
  'cannot read it': () => say({ is: 'fault', code: 'audio.unreadable', detail: `by ${process.pid}` }),
  works: () => answer(String(process.pid)),
  'looks around': () => answer(JSON.stringify(looksAround())),
};

if (behaviour === 'starts never') setInterval(() => undefined, 1_000);
else if (behaviour === 'ends at its start') process.exit(1);
else say({ is: 'ready' });

for await (const { text } of requestsOf(process.stdin)) {
  say({ is: 'begun', duration_ms: 0 });
  // The first sample tells a working engine to crash, so that one engine can do both.
  if (text.includes('"file"')) ON_CALL['crashes']?.();
  ON_CALL[behaviour]?.();
}
