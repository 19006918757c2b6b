// SPDX-License-Identifier: Apache-2.0
// The set-up program: prepares a deployment before its services start.
import { natsServerConfig } from '@writ/bus-nats';
import { environment } from './config.env.ts';
import { runSetup } from './program.ts';

// In a container it is process 1, which a signal ends only if it is handled. Finished steps stay, and the next run
// continues from there.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    process.stderr.write(`setup was stopped by ${signal}: run it again to finish\n`);
    process.exit(1);
  });
}

process.exitCode = await runSetup(process.argv.slice(2), {
  env: environment(),
  print: (line) => {
    process.stdout.write(`${line}\n`);
  },
  printError: (line) => {
    process.stderr.write(`${line}\n`);
  },
  renderNatsConfig: natsServerConfig,
});
