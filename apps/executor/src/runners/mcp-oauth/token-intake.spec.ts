// SPDX-License-Identifier: Apache-2.0
import { Fault, formatId } from '@writ/contract';
import type { ClaimedTokenWork, TokenReport } from '../../foundation/kernel-client.ts';
import { TokenIntake, type TokenIntakeParts } from './token-intake.ts';

const executorId = formatId('executor', new Uint8Array(16));
const WORK = { connection_id: formatId('connection', new Uint8Array(16)), work: 'refresh' } as ClaimedTokenWork;
const TOKENS: TokenReport = {
  tokens: { access_token: 'marker', refresh_token: null, expires_in: null, scopes: null },
  problem: null,
  final: false,
};

let intake: TokenIntake;
afterEach(() => intake.stop());

/** Starts an intake for one piece of work, and resolves with what became of it. */
async function outcomeOf(own: {
  run?: TokenIntakeParts['worker']['run'];
  report?: (report: TokenReport) => Promise<boolean>;
}) {
  const due = [WORK];
  const seen = { reports: [] as TokenReport[], discarded: 0, failures: [] as unknown[] };
  const ended = Promise.withResolvers<null>();
  intake = new TokenIntake({
    executorId,
    kernel: {
      claimTokenWork: () => {
        if (due.length === 0) ended.resolve(null);
        return Promise.resolve(due.pop() ?? null);
      },
      reportTokenWork: (_work, _executor, report) => {
        seen.reports.push(report);
        return own.report?.(report) ?? Promise.resolve(true);
      },
    },
    worker: {
      run: own.run ?? (() => Promise.resolve(TOKENS)),
      discard: () => {
        seen.discarded += 1;
        return Promise.resolve();
      },
    },
    failed: (error) => seen.failures.push(error),
  });
  await intake.start();
  await ended.promise;
  await intake.stop();
  return seen;
}

describe('the intake of work at authorization servers', () => {
  it('reports the tokens, again where the report got lost, also while it stops', async () => {
    let tries = 0;
    const report = () => ((tries += 1) < 3 ? Promise.reject(new Fault('bus.unreachable')) : Promise.resolve(true));
    expect(await outcomeOf({ report })).toEqual({ reports: [TOKENS, TOKENS, TOKENS], discarded: 0, failures: [] });
  });

  it('revokes tokens whose connection ended meanwhile', async () => {
    expect(await outcomeOf({ report: () => Promise.resolve(false) })).toMatchObject({ discarded: 1, failures: [] });
  });

  it('reports a bug as a problem without its words, and operators learn of it', async () => {
    const { reports, failures } = await outcomeOf({ run: () => Promise.reject(new TypeError('marker')) });
    expect(reports).toMatchObject([{ tokens: null, problem: { code: 'internal' }, final: false }]);
    expect(JSON.stringify(reports)).not.toContain('marker');
    expect(failures).toHaveLength(1);
  });

  it('leaves to the lease what can not be reported at all', async () => {
    const { reports, failures } = await outcomeOf({ report: () => Promise.reject(new Fault('request.malformed')) });
    expect([reports.length, failures.length]).toEqual([1, 1]);
  });
});
