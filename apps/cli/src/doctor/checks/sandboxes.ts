// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { Check } from '../check.ts';
import { demand, NotApplicable, NotMade } from '../finding.ts';
import { inWords, memberOf, objectOf, textIn, type Answer } from '../doctor-api.ts';
import { Listener } from '../listener.ts';
import { placesOf, probeOf } from '../sandbox-probe.ts';
import { describe, type World } from '../world.ts';

const closed: Check = {
  id: 'egress-sandbox',
  invariant: 'A sandbox reaches no network by itself',
  obligatory: true,
  run: async (world) => {
    const listener = await Listener.open();
    try {
      const places = [{ host: '127.0.0.1', port: listener.port }, ...(await placesOf(world.platform.client.url))];
      const room = await world.room({ 'probe.py': probeOf(places, listener.port) });
      const { output } = await room.run('python3 probe.py');
      if (!/^probed$/m.test(output)) throw new NotMade(`the probe did not run: ${lastLine(output)}`);
      const lines = output.split('\n');
      const found = lines.filter((line) => /^(?:reached|answered) /.test(line));
      demand(found.length === 0, `a sandbox ${found.join(', ')}`);
      demand(listener.reached === 0, "a sandbox reached the doctor's listener");
      const [routes, resolvers] = ['routes', 'resolvers'].map(
        (what) => lines.find((line) => line.startsWith(`${what} `)) ?? `${what} unknown`,
      );
      const tried = places.map(({ host, port }) => `${isIP(host) === 6 ? `[${host}]` : host}:${String(port)}`);
      return `nothing left it (${routes ?? ''}, ${resolvers ?? ''}) to ${tried.join(', ')}, a gateway or a resolver`;
    } finally {
      listener.close();
    }
  },
};

/** A name that leads nowhere (RFC 6761), so that nobody is asked even where the gate is open. */
const NOWHERE = 'http://writ-doctor.invalid/';
/** Loopback, as an address and as a name that the gate has to resolve before it judges. */
const INSIDE = ['127.0.0.1', 'localhost'] as const;

/**
 * What a gate does with a host inside, in words. A name may have no address at the executor, and where a proxy resolves
 * names, the gate doesn't see its address: then nobody knows.
 */
function verdictOfGate(answer: Answer, host: string): string {
  if (answer.code === 'egress.refused') return `${host} is refused`;
  const message = textIn(memberOf(objectOf(answer), 'error'), 'message');
  if (answer.code === 'egress.failed' && message.includes('has no address')) return `${host} has no address there`;
  const isSent = answer.code === null || (answer.code === 'egress.failed' && isIP(host) !== 0);
  demand(!isSent, `the gate went for ${host}: ${describe(answer)}`);
  throw new NotMade(`the gate, or a proxy that resolves names for it, did not refuse ${host}: ${describe(answer)}`);
}

const gate: Check = {
  id: 'egress-gate',
  invariant: 'The gate lets calls reach the hosts of their token alone, and no address inside',
  obligatory: true,
  run: async (world) => {
    const listener = await Listener.open();
    try {
      const { port } = listener;
      const net = INSIDE.map((domain) => ({ domain, methods: ['GET'], ports: [port] }));
      const room = await world.room({}, { tools: ['web.fetch'], net });
      const verdicts: string[] = [];
      for (const host of INSIDE) {
        const answer = await room.call('web.fetch', { url: `http://${host}:${String(port)}/` });
        demand(listener.reached === 0, `a request for ${host} reached a listener on loopback`);
        verdicts.push(verdictOfGate(answer, host));
      }
      const beyond = await room.call('web.fetch', { url: NOWHERE });
      demand(
        beyond.code !== null && !['egress.failed', 'egress.refused'].includes(beyond.code),
        `a request for a host that no token grants was admitted: ${describe(beyond)}`,
      );
      if (beyond.code !== 'token.scope') throw new NotMade(`a request was not judged: ${describe(beyond)}`);
      return `${verdicts.join(', ')}, and a host that no token grants got ${beyond.code}`;
    } finally {
      listener.close();
    }
  },
};

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

/** The secret of the examination, which is removed at its end. */
export const SECRET = 'DOCTOR_KEY';

const secrets: Check = {
  id: 'secret',
  invariant: 'A secret that a command uses appears in no output, file or answer',
  obligatory: true,
  run: async (world) => {
    const value = `doctor-${randomBytes(16).toString('hex')}`;
    await world.admin.must('PUT', '/v1/secrets', { name: SECRET, value });
    return await useSecret(world, value);
  },
};

async function useSecret(world: World, value: string): Promise<string> {
  const room = await world.room({ 'a.txt': 'one\n' }, { secrets: [SECRET] });
  const used = await room.run(`printf %s "\${secret:${SECRET}}" | wc -c; printf '%s\\n' "\${secret:${SECRET}}"`);
  if (!used.output.startsWith(`${String(value.length)}\n`))
    throw new NotMade(`a command did not get the secret: ${lastLine(used.output.replaceAll(value, '…'))}`);
  const id = textIn(used.answer, 'operation_id');
  const written = await room.call('shell.run', { command: `printf %s "\${secret:${SECRET}}" > a.txt` });
  const shown = await Promise.all(
    [`/v1/operations/${id}`, `/v1/operations/${id}/output`, '/v1/secrets'].map(async (path) => {
      const answer = await world.admin.get(path);
      // The output of a short command is in its result alone.
      if (answer.status !== 200 && answer.code !== 'output.not_kept')
        throw new NotMade(`GET ${path} answered ${inWords(answer)}`);
      return answer.text;
    }),
  );
  const texts = [used.output, written.text, (await room.file('a.txt')) ?? '', ...shown];
  demand(!texts.some((text) => holds(text, value)), 'its value, or an encoding of it, came out');
  demand(textIn(objectOf(written), 'tx_outcome') !== 'committed', `a file with it was kept: ${describe(written)}`);
  if (written.code !== 'secret.in_delta')
    throw new NotMade(`a command that wrote it to a file ended otherwise: ${describe(written)}`);
  return `redacted in the output; a file with it was refused ${written.code}`;
}

const holds = (text: string, value: string): boolean =>
  [value, Buffer.from(value).toString('base64').replace(/=+$/, ''), Buffer.from(value).toString('hex')].some((form) =>
    text.includes(form),
  );

/** The least share of a disk that must be free. */
const FREE_MIN_PERCENT = 10;

const disk: Check = {
  id: 'disk',
  invariant: 'The disk of the sandboxes has a tenth of its space left',
  obligatory: false,
  run: async (world) => {
    const room = await world.room({});
    // `/` of a container is an overlay, whose figures are those of the disk that the engine keeps it on.
    const { output } = await room.run('df -P / | tail -n 1');
    const [device = '', size = '', , available = ''] = output.trim().split(/\s+/);
    if (!/^\d+$/.test(size) || !/^\d+$/.test(available) || Number(size) === 0 || device === 'tmpfs')
      throw new NotApplicable('a sandbox here does not show the disk that it is on');
    const free = Math.floor((100 * Number(available)) / Number(size));
    demand(free >= FREE_MIN_PERCENT, `${String(free)} % of the disk of an executor are free`);
    return `${String(free)} % are free; no public interface shows the disks of the database and of the bus`;
  },
};

export const SANDBOX_CHECKS: readonly Check[] = [closed, gate, secrets, disk];
