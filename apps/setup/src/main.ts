// SPDX-License-Identifier: Apache-2.0
// The set-up program: what a deployment needs before its services start.
import { natsServerConfig } from '@writ/bus-nats';
import { environment } from './config.env.ts';
import { runSetup } from './program.ts';

// In a container it is process 1, which a signal ends only where it is handled. What was done so far stays, and the
// next run goes on from there.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    process.stderr.write(`setup was told to stop by ${signal}: run it again to finish\n`);
    process.exit(1);
  });
}

process.exitCode = await runSetup(process.argv.slice(2), {
  env: environment(),
  say: (line) => {
    process.stdout.write(`${line}\n`);
  },
  fail: (line) => {
    process.stderr.write(`${line}\n`);
  },
  renderNatsConfig: natsServerConfig,
});
