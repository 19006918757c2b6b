// SPDX-License-Identifier: Apache-2.0
import { backPressureContract, hostileContract, runIn, SIZE, textOf, until } from '@writ/sandbox-host/contract';
import type { SandboxEvent } from '@writ/sandbox-host';
import { isStatus } from './api-error.ts';
import { DIGEST, onCluster, TestNamespace } from './cluster.contract.ts';
import { KubeApi } from './kube-api.ts';
import type { KubernetesSandbox } from './kubernetes-sandbox.ts';

onCluster('a pod of a real cluster', () => {
  let namespace: TestNamespace;
  let sandbox: KubernetesSandbox;
  beforeAll(async () => {
    namespace = await TestNamespace.make();
    sandbox = await namespace.open({ pools: [{ image: DIGEST, size: SIZE, count: 1 }] });
  });
  afterAll(async () => {
    await sandbox.close();
    await namespace.remove();
  });

  const outputOf = async (command: string) => {
    const result = await runIn(sandbox, DIGEST, command);
    // Another end than the command's own proves nothing.
    expect(result).toMatchObject({ ended: 'exited' });
    return textOf(result).trim();
  };
  const attempt = (host: string, port: number) =>
    `python3 -c "import socket; s = socket.socket(); s.settimeout(3); s.connect(('${host}', ${port}))" 2>&1 | tail -1`;

  test('is refused by the canary, the API server, metadata and names, from its first moment', async () => {
    const { api } = {
      api: new URL((await (await KubeApi.load({ kubeconfig: namespace.kubeconfig })).webSocketTarget('')).url),
    };
    const tries = [
      attempt(namespace.canary.host, namespace.canary.port),
      attempt(api.hostname, Number(api.port)),
      attempt('169.254.169.254', 80),
      attempt('10.96.0.1', 443),
      attempt('10.96.0.10', 53),
    ];
    const said = await outputOf(tries.join('; '));
    expect(said.split('\n')).toHaveLength(tries.length);
    for (const line of said.split('\n')) expect(line).toMatch(/refused|unreachable|timed out/);
    expect(
      await outputOf('python3 -c "import socket; socket.getaddrinfo(\'kubernetes.default.svc\', 443)" 2>&1 | tail -1'),
    ).toMatch(/gaierror/);
  });

  test('has IPv6 on loopback only: an IPv4-only firewall would leave its link open', async () => {
    expect(await outputOf('awk \'$6 != "lo"\' /proc/net/if_inet6 2>/dev/null')).toBe('');
  });

  test("has no token, only the API server's address, no root and no capability", async () => {
    expect(
      await outputOf(
        'ls -A /var/run/secrets /run/secrets 2>/dev/null; id -u; id -G; env | cut -d= -f1 | sort | tr "\\n" " "',
      ),
    ).toBe('10001\n10001\nHOME LANG LOGNAME PATH PWD SHELL SHLVL TERM TMPDIR USER _');
    const status = await outputOf('cat /proc/self/status');
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      expect(status).toMatch(new RegExp(`^${set}:\\t0{16}$`, 'm'));
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^Seccomp:\t2$/m);
  });

  test('can write only to its workspace and /tmp, and git works there', async () => {
    const writable =
      'for d in / /etc /usr/bin /opt/writ /var/tmp /home /root /sys /proc/sys/kernel /dev; ' +
      'do echo x 2>/dev/null > $d/made && echo $d; done; echo x > /workspace/a && echo x > /tmp/a && echo only';
    expect(await outputOf(`(${writable}) 2>/dev/null`)).toBe('only');
    expect(await outputOf('git init -q . && git status --short && echo worked')).toMatch(/worked$/);
  });

  test('shows a job nothing of other pods or of its node', async () => {
    const processes = await outputOf('for p in /proc/[0-9]*; do tr "\\0" " " < $p/cmdline; echo; done');
    expect(
      processes.split('\n').filter((line) => line !== '' && !/pause|^\/opt\/writ\/agent |bash|^tr /.test(line)),
    ).toEqual([]);
  });

  test('is not available where the network is open: no job runs, and the reason is reported', async () => {
    const open = await TestNamespace.make(false);
    const events: SandboxEvent[] = [];
    const exposed = await open.open({ report: (event) => events.push(event) });
    try {
      expect(await runIn(exposed, DIGEST, 'echo ran')).toMatchObject({
        ended: 'lost',
        reason: 'engine',
        output: [],
        detail: expect.stringContaining('the network is open'),
      });
    } finally {
      await exposed.close();
      await open.remove();
    }
  });

  test('runs under the configured runtime class, and not at all under a missing one', async () => {
    const other = await namespace.open({ runtimeClass: 'writ-no-such-class' });
    expect(await runIn(other, DIGEST, 'echo ran')).toMatchObject({
      ended: 'lost',
      reason: 'engine',
      output: [],
      detail: expect.stringContaining('writ-no-such-class'),
    });
    await other.close();
  });

  test("is deleted with its executor's lease", async () => {
    const doomed = await namespace.open({ pools: [{ image: DIGEST, size: SIZE, count: 1 }] });
    await doomed.warm();
    const [name = ''] = doomed.containers;
    const { metadata } = await namespace.ask<{ metadata: { ownerReferences: { name: string }[] } }>(
      'GET',
      `${namespace.pods}/${name}`,
    );
    await namespace.ask(
      'DELETE',
      `/apis/coordination.k8s.io/v1/namespaces/${namespace.name}/leases/${metadata.ownerReferences[0]?.name}`,
    );
    await until('the pod is collected', () =>
      namespace.ask('GET', `${namespace.pods}/${name}`).then(
        () => false,
        (error: unknown) => isStatus(error, 404),
      ),
    );
    await doomed.close();
  });

  test('is all that its executor may access: no command, secret, node, namespace or privileged pod', async () => {
    const api = await KubeApi.load({ kubeconfig: namespace.kubeconfig });
    const asked = async (method: 'GET' | 'POST', path: string, body?: unknown) =>
      await api
        .request('x', { method, path, ...(body === undefined ? {} : { body }), signal: AbortSignal.timeout(30_000) })
        .then(
          () => 'allowed',
          (error: unknown) => (isStatus(error, 403) ? 'forbidden' : String(error)),
        );
    await sandbox.warm();
    const [name = ''] = sandbox.containers;
    const own = `/api/v1/namespaces/${namespace.name}`;
    const tries = [
      'GET /api/v1/nodes',
      `GET ${own}/secrets`,
      `GET ${own}/pods/${name}/log`,
      `POST ${own}/pods/${name}/exec?command=id&stdout=true`,
      `POST ${own}/pods/${name}/ephemeralcontainers`,
      `POST ${own}/pods/${name}/portforward`,
      'GET /api/v1/namespaces/default/pods',
      'GET /apis/coordination.k8s.io/v1/namespaces/kube-system/leases',
    ];
    for (const each of tries) {
      const [method = '', path = ''] = each.split(' ');
      expect([each, await asked(method as 'GET', path, method === 'POST' ? {} : undefined)]).toEqual([
        each,
        'forbidden',
      ]);
    }
    const privileged = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'x', namespace: namespace.name },
      spec: { containers: [{ name: 'x', image: 'x:1', securityContext: { privileged: true } }] },
    };
    expect(await asked('POST', `${own}/pods`, privileged)).toBe('forbidden');
    api.close();
  });
});

onCluster('hostile jobs on a real cluster', () => {
  let namespace: TestNamespace;
  beforeAll(async () => {
    namespace = await TestNamespace.make();
  });
  afterAll(() => namespace.remove());
  const open = async () => ({ sandbox: await namespace.open(), image: DIGEST });

  // The kubelet bounds processes, by its node's own limit.
  hostileContract('hostile jobs in pods', open, { boundsProcesses: false, sealsOutput: true });
  // A WebSocket through two servers buffers more than a local stream.
  backPressureContract('output of pods', open, { inTransitBytesMax: 16 * 1024 * 1024 });
});
