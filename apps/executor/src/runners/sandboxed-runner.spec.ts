// SPDX-License-Identifier: Apache-2.0
import { text } from 'node:stream/consumers';
import type { Redemption } from '@writ/contract';
import { FakeSandbox, type FakeProgram } from '@writ/sandbox';
import { EgressFixture, OUTSIDE_HOSTS } from '../specs/egress-fixture.ts';
import type { ExternalHosts } from '../specs/external-hosts.ts';
import type { ScriptedKernel } from '../specs/scripted-kernel.ts';
import { SandboxedRunner } from './sandboxed-runner.ts';

let world: EgressFixture;
let outside: ExternalHosts;
let kernel: ScriptedKernel;
let root: string;
beforeEach(async () => {
  world = await EgressFixture.open();
  ({ outside, kernel, root } = world);
});
afterEach(() => world.close());

describe('a command', () => {
  const asks: FakeProgram = async (job) => {
    const connection = job.connect();
    connection?.write('GET http://a.outside.example/x HTTP/1.1\r\nHost: a.outside.example\r\n\r\n');
    job.out(connection === null ? 'no proxy' : await text(connection));
    return 0;
  };
  const shell = async (redemption: Partial<Redemption>, permit: { mode?: 'preview' } = {}) => {
    const sandbox = new FakeSandbox({ programs: { go: asks }, sleep: () => Promise.resolve() });
    const message = kernel.order('shell.run', { command: 'go' }, root, { redemption, permit });
    expect(
      await kernel.executor([new SandboxedRunner(sandbox, kernel.blobs, world.gate())]).run(message, 'sandboxed'),
    ).toBe('reported');
    return kernel.reports.at(-1)!;
  };

  it('reaches the hosts of its token through the proxy of its container', async () => {
    const report = await shell({ net: OUTSIDE_HOSTS });
    expect((report.result as { output: string }).output).toContain('hello from outside');
    expect(report.requests).toMatchObject([{ target: 'http://a.outside.example/x', outcome: 'answered' }]);
    expect(report.usage.egress_bytes).toBeGreaterThan(0);
  });

  it('without any host in its token gets a refusal from its proxy, which is listed', async () => {
    const report = await shell({});
    expect((report.result as { output: string }).output).toMatch(/^HTTP\/1\.1 403 [^]*token\.scope/);
    expect(report.requests).toMatchObject([{ outcome: 'refused' }]);
    expect(outside.dials).toEqual([]);
  });

  it('in a preview reaches nothing, and its requests are reported', async () => {
    const report = await shell({ net: OUTSIDE_HOSTS }, { mode: 'preview' });
    expect(report.asked_for).toEqual([{ kind: 'egress', what: 'GET http://a.outside.example/x' }]);
    expect(report.requests).toMatchObject([{ outcome: 'refused', reason: expect.stringContaining('preview') }]);
    expect(outside.dials).toEqual([]);
  });

  it('with many requests has its list stored by reference', async () => {
    const sandbox = new FakeSandbox({
      programs: {
        go: async (job) => {
          for (let n = 0; n < 150; n++) {
            const connection = job.connect();
            connection?.write('GET http://b.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n');
            if (connection !== null) await text(connection);
            connection?.destroy();
          }
          return 0;
        },
      },
      sleep: () => Promise.resolve(),
    });
    await kernel
      .executor([new SandboxedRunner(sandbox, kernel.blobs, world.gate())])
      .run(kernel.order('shell.run', { command: 'go' }, root, { redemption: { net: OUTSIDE_HOSTS } }), 'sandboxed');
    const { requests, requests_ref } = kernel.reports.at(-1)!;
    expect(requests).toEqual([]);
    expect(
      (
        JSON.parse(
          Buffer.from(await kernel.blobs.get(kernel.redemption.tenant_id as never, requests_ref!.sha256)).toString(),
        ) as unknown[]
      ).length,
    ).toBe(150);
  });
});
