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

  it('revokes tokens that the kernel refuses, and reports that instead', async () => {
    const report = ({ tokens }: TokenReport) =>
      tokens === null ? Promise.resolve(true) : Promise.reject(new Fault('request.malformed'));
    const { reports, failures, discarded } = await outcomeOf({ report });
    expect(reports).toEqual([TOKENS, { tokens: null, final: false, problem: expect.any(Object) as unknown }]);
    expect([failures.length, discarded]).toEqual([1, 1]);
  });

  it('leaves to the lease what can not be reported at all', async () => {
    const report = () => Promise.reject(new Fault('request.malformed'));
    expect(await outcomeOf({ report })).toMatchObject({ discarded: 1, failures: [{}, {}] });
    const failing = await outcomeOf({ report: () => Promise.reject(new Fault('not_found')) });
    expect(failing).toMatchObject({ reports: [TOKENS], discarded: 0, failures: [{}] });
  });

  it('takes less than half of its work from one tenant, whatever the kernel counts', async () => {
    const [slow, other] = [1, 2].map((n) => formatId('tenant', new Uint8Array(16).fill(n)));
    const works = [...Array<string>(6).fill(slow!), other!].map((tenant_id) => ({ ...WORK, tenant_id }));
    const [begun, taken] = [[] as string[], Promise.withResolvers<null>()];
    const ends = Promise.withResolvers<null>();
    intake = new TokenIntake({
      executorId,
      kernel: {
        claimTokenWork: (_executor, without) => {
          const next = works.findIndex(({ tenant_id }) => !without.includes(tenant_id as never));
          const [work = null] = next < 0 ? [] : works.splice(next, 1);
          if (work === null) taken.resolve(null);
          return Promise.resolve(work as ClaimedTokenWork | null);
        },
        reportTokenWork: () => Promise.resolve(true),
      },
      worker: {
        run: async ({ tenant_id }) => {
          begun.push(tenant_id);
          await ends.promise;
          return TOKENS;
        },
        discard: () => Promise.resolve(),
      },
      failed: (error) => expect(error).toBeUndefined(),
    });
    await intake.start();
    await taken.promise;
    const underWay = [...begun];
    ends.resolve(null);
    expect(underWay).toEqual([slow, slow, slow, other]);
  });
});
