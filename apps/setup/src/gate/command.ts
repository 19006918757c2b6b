// SPDX-License-Identifier: Apache-2.0
import { InvalidArgumentError, type Command } from 'commander';
import { Failure } from '../failure.ts';
import type { GatePeer } from './pod-probe.ts';
import { parsePeer, passGate } from './pass-gate.ts';

/** Runs the action of a command and reports how it ended. */
export type Run = (name: string, act: () => Promise<string>) => Promise<void>;

interface Options {
  readonly earlier: readonly GatePeer[];
  readonly later: readonly GatePeer[];
  readonly port: number;
  readonly silentSeconds: number;
}

const PORT_MAX = 65_535;
const SILENT_SECONDS_MAX = 3_600;

const collect =
  (side: GatePeer['side']) =>
  (text: string, before: readonly GatePeer[]): readonly GatePeer[] => {
    try {
      return [...before, parsePeer(side, text)];
    } catch (error) {
      if (error instanceof Failure) throw new InvalidArgumentError('write `COMPONENT=HOST:PORT`.');
      throw error;
    }
  };

const parseNumber =
  (max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < 1 || value > max) throw new InvalidArgumentError(`1 to ${max}.`);
    return value;
  };

/** Adds `gate`, which delays a process during a rollout until it may start. */
export function addGateCommand(program: Command, version: string, print: (line: string) => void, run: Run): void {
  program
    .command('gate')
    .description('waits until the process of this pod may start beside those that run')
    .option('--earlier <peer>', 'a component that is updated before: `COMPONENT=HOST:PORT`', collect('earlier'), [])
    .option('--later <peer>', 'a component that is updated afterwards, likewise', collect('later'), [])
    .option('--port <port>', 'where other gates ask this pod', parseNumber(PORT_MAX), 9464)
    .option('--silent-seconds <n>', 'how long a pod that does not answer counts', parseNumber(SILENT_SECONDS_MAX), 20)
    .action(({ earlier, later, port, silentSeconds }: Options) =>
      run('gate', () =>
        passGate({ version, peers: [...earlier, ...later], port, silentMs: silentSeconds * 1_000, print }),
      ),
    );
}
