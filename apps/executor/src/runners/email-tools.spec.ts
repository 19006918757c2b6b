// SPDX-License-Identifier: Apache-2.0
import { createServer, type Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createServer as createTls } from 'node:tls';
import {
  bindTool,
  EMAIL_DRAFT,
  EMAIL_FIND,
  formatId,
  RESOURCE_SECRET_PREFIX,
  type BoundResource,
  type MailboxSettings,
  type Redemption,
} from '@writ/contract';
import { resourceDigest } from '@writ/digest';
import { outsideTls } from '@writ/testing';
import { WorkerPool } from '@writ/worker-pool';
import { sessionPoolSizes } from '../calls/executor-pool.ts';
import type { ExecutorTasks } from '../calls/worker-tasks.ts';
import { EgressGate } from '../egress/gate.ts';
import { ExternalHosts } from '../specs/external-hosts.ts';
import { ScriptedKernel } from '../specs/scripted-kernel.ts';
import { BrokerRunner } from './broker-runner.ts';
import { madeAt } from './email-tools.ts';
import { MailSessions } from './mail-sessions.ts';

const PASSWORD = 'correct-horse-battery';
const SETTINGS: MailboxSettings = {
  host: 'mail.outside.example',
  port: 993,
  tls: 'implicit',
  username: 'ada',
  secret: 'MAIL_PASSWORD',
  address: 'ada@outside.example',
};
const DRAFT = { to: 'grace@example.org', subject: 'Hello', body: 'Dear Grace' };

/** A server of IMAP with one folder of drafts, whose answers a test can replace by the command. */
class MailServer {
  readonly commands: string[] = [];
  readonly stored: string[] = [];
  greeting = '* OK [CAPABILITY IMAP4rev1 UIDPLUS SPECIAL-USE] ready\r\n';
  answers: Readonly<Record<string, (tag: string, socket: Socket) => string | null>> = {};

  serve = (socket: Socket): void => {
    let rest = '';
    let literal: { size: number; tag: string } | null = null;
    socket.on('error', () => undefined).write(this.greeting);
    socket.on('data', (bytes: Buffer) => {
      rest += bytes.toString('latin1');
      for (;;) {
        if (literal !== null) {
          if (rest.length < literal.size + 2) return;
          this.stored.push(rest.slice(0, literal.size));
          rest = rest.slice(literal.size + 2);
          const { tag } = literal;
          literal = null;
          this.#answer('APPENDED', tag, socket, `${tag} OK [APPENDUID 7 12] done\r\n`);
          continue;
        }
        const at = rest.indexOf('\r\n');
        if (at < 0) return;
        const line = rest.slice(0, at);
        rest = rest.slice(at + 2);
        const [tag = '', first = '', second = ''] = line.split(' ');
        const command = first === 'UID' ? `UID ${second}` : first;
        this.commands.push(command);
        const size = /\{(\d+)\+?\}$/.exec(line)?.[1];
        if (command === 'APPEND' && size !== undefined) {
          literal = { size: Number(size), tag };
          this.#answer('APPEND', tag, socket, '+ go\r\n');
        } else this.#answer(command, tag, socket, this.#usual(command, tag, line));
      }
    });
  };

  #answer(command: string, tag: string, socket: Socket, usual: string): void {
    const own = this.answers[command];
    const answer = own === undefined ? usual : own(tag, socket);
    if (answer !== null) socket.write(answer);
  }

  #usual(command: string, tag: string, line: string): string {
    const done = `${tag} OK done\r\n`;
    if (command === 'LIST')
      return line.endsWith('LIST "" ""')
        ? `* LIST (\\Noselect) "/" ""\r\n${done}`
        : `* LIST (\\Drafts) "/" "Drafts"\r\n${done}`;
    if (command === 'EXAMINE') return `* 1 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 12] ok\r\n${done}`;
    if (command === 'UID SEARCH') return `* SEARCH${this.stored.length > 0 ? ' 12' : ''}\r\n${done}`;
    return command === 'LOGOUT' ? `* BYE bye\r\n${done}` : done;
  }
}

let sessionThreads: WorkerPool<ExecutorTasks>;
beforeAll(() => {
  sessionThreads = new WorkerPool({
    ...sessionPoolSizes(2),
    filename: new URL('../executor.worker.ts', import.meta.url),
  });
});
afterAll(() => sessionThreads.close());

let outside: ExternalHosts;
let kernel: ScriptedKernel;
let server: MailServer;
let root: string;
beforeEach(async () => {
  outside = await ExternalHosts.open();
  server = new MailServer();
  const { key, cert } = outsideTls();
  await outside.replace(993, createTls({ key, cert }, server.serve));
  kernel = await new ScriptedKernel().start();
  kernel.leaseMs = 60_000;
  root = await kernel.tree({});
});
afterEach(async () => {
  await kernel.close();
  await outside.close();
});

async function call(
  tool: typeof EMAIL_DRAFT,
  args: Record<string, unknown>,
  { settings = {}, ...redemption }: Partial<Redemption> & { settings?: Partial<MailboxSettings> } = {},
) {
  const meaning = { kind: 'mailbox', name: 'default', settings: { ...SETTINGS, ...settings } } as const;
  const resources: BoundResource[] = [
    { resource_id: `res_${'0'.repeat(26)}`, ...meaning, owner_agent_id: null, digest: resourceDigest(meaning) },
  ];
  const message = kernel.order(tool.tool_id, args, root, {
    definition: bindTool(tool, resources),
    redemption: {
      net: [[{ domain: 'mail.outside.example', methods: ['TLS'], ports: [993] }]],
      resources,
      secrets: { [`${RESOURCE_SECRET_PREFIX}MAIL_PASSWORD`]: PASSWORD },
      ...redemption,
    },
  });
  const gate = new EgressGate(outside.ports, () => performance.now());
  const runner = new BrokerRunner(kernel.blobs, gate, () => performance.now(), {
    mail: new MailSessions(sessionThreads),
  });
  expect(await kernel.executor([runner]).run(message, 'broker')).toBe('reported');
  const report = kernel.reports.at(-1)!;
  expect(JSON.stringify(report)).not.toContain(PASSWORD);
  return report;
}
const announced = (): boolean => kernel.requestedVerbs.includes('kernel.effect_started');

describe('email.draft', () => {
  it('stores the draft, announced before it is sent, over one listed connection', async () => {
    server.answers = {
      APPEND: () => {
        expect(announced()).toBe(true);
        return '+ go\r\n';
      },
      LOGIN: (tag) => {
        expect(announced()).toBe(false);
        return `${tag} OK done\r\n`;
      },
    };
    const report = await call(EMAIL_DRAFT, DRAFT);
    expect(report).toMatchObject({
      ended: 'exited',
      error: null,
      result: {
        folder: 'Drafts',
        uid: 12,
        message_id: expect.stringMatching(/^<op_[0-9a-z]{26}@outside\.example>$/) as unknown,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
        already_there: false,
      },
      requests: [{ method: 'TLS', target: 'mail.outside.example:993', outcome: 'answered' }],
    });
    expect(server.stored).toHaveLength(1);
    expect(server.stored[0]).toContain('To: grace@example.org\r\n');
    expect(server.stored[0]).toContain('From: ada@outside.example\r\n');
    expect(report.usage.egress_bytes).toBe(report.requests[0]!.sent_bytes + report.requests[0]!.received_bytes);
  });

  it('composes the same bytes for every attempt, and stores them once', async () => {
    const first = await call(EMAIL_DRAFT, DRAFT);
    const second = await call(EMAIL_DRAFT, DRAFT);
    expect(second.result).toEqual({ ...(first.result as object), already_there: true });
    expect(server.stored).toHaveLength(1);
  });

  it('whose answer is lost is found by a second session, and is no doubt any more', async () => {
    server.answers = { APPENDED: (_tag, socket) => (socket.destroy(), null) };
    const report = await call(EMAIL_DRAFT, DRAFT);
    expect(report).toMatchObject({ ended: 'exited', result: { uid: 12, already_there: false } });
    expect(report.requests).toHaveLength(2);
    expect(server.stored).toHaveLength(1);
  });

  it('whose answer is lost, and which is not found, fails after it was announced', async () => {
    server.answers = {
      APPENDED: (_tag, socket) => (socket.destroy(), null),
      'UID SEARCH': (tag) => `* SEARCH\r\n${tag} OK done\r\n`,
    };
    expect(await call(EMAIL_DRAFT, DRAFT)).toMatchObject({ ended: 'failed', error: { code: 'egress.failed' } });
    expect(announced()).toBe(true);
  });

  it.each<[string, string, (tag: string) => string, string]>([
    ['a refused login', 'LOGIN', (tag) => `${tag} NO [AUTHENTICATIONFAILED] ${PASSWORD}\r\n`, 'mailbox.refused'],
    ['no folder of drafts', 'EXAMINE', (tag) => `${tag} NO [NONEXISTENT] no\r\n`, 'mailbox.folder_unknown'],
  ])('%s is a plain failure: nothing was announced', async (_what, command, answer, code) => {
    server.answers = { [command]: answer };
    expect(await call(EMAIL_DRAFT, DRAFT)).toMatchObject({ ended: 'failed', error: { code }, result: null });
    expect([announced(), server.stored]).toEqual([false, []]);
  });

  it('is not stored when the kernel refuses the announcement', async () => {
    kernel.onEffect = () => ({ v: 1, lease_until: 0, stop: true });
    const message = call(EMAIL_DRAFT, DRAFT);
    await message.catch(() => undefined);
    expect(server.stored).toEqual([]);
  });

  it('needs an address that drafts can be from', async () => {
    const report = await call(EMAIL_DRAFT, DRAFT, { settings: { address: 'Ada <ada@outside.example>' } });
    expect(report).toMatchObject({ ended: 'failed', error: { code: 'mailbox.unusable' }, requests: [] });
  });

  it('goes nowhere without the raw connection in the token', async () => {
    for (const net of [
      [[{ domain: 'mail.outside.example', methods: ['GET', 'CONNECT'], ports: [993] }]],
      [[{ domain: 'mail.outside.example', methods: ['TLS'] }]],
    ])
      expect(await call(EMAIL_DRAFT, DRAFT, { net })).toMatchObject({ error: { code: 'token.scope' } });
    expect(server.commands).toEqual([]);
  });

  it('fails by name where no IMAP is spoken', async () => {
    server.greeting = 'SSH-2.0-OpenSSH_9.2\r\n';
    expect(await call(EMAIL_DRAFT, DRAFT)).toMatchObject({ ended: 'failed', error: { code: 'mailbox.unreadable' } });
  });

  it('sends no login in clear to a server without STARTTLS', async () => {
    await outside.replace(143, createServer(server.serve));
    const report = await call(EMAIL_DRAFT, DRAFT, {
      settings: { tls: 'starttls', port: 143 },
      net: [[{ domain: '*.outside.example', methods: ['TCP'], ports: [143] }]],
    });
    expect(report).toMatchObject({
      ended: 'failed',
      error: { code: 'mailbox.not_private' },
      requests: [{ method: 'TCP', target: 'mail.outside.example:143' }],
    });
    expect(server.commands).not.toContain('LOGIN');
  });
});

describe('email.find', () => {
  it('reads by EXAMINE and announces nothing', async () => {
    const report = await call(EMAIL_FIND, { subject: 'x' });
    expect(report).toMatchObject({ ended: 'exited', result: { folder: 'INBOX', matched: 0, messages: [] } });
    expect(server.commands).toContain('EXAMINE');
    expect([announced(), server.commands.includes('SELECT')]).toEqual([false, false]);
  });
});

describe('a server whose answers are expensive to read', () => {
  const HTML = '<a>'.repeat(20_000) + '</b>'.repeat(17_000);
  const STRUCTURE = `BODYSTRUCTURE ("TEXT" "HTML" ("CHARSET" "utf-8") NIL NIL "7BIT" ${HTML.length} 1)`;
  const counted = (exists: number) => (tag: string) =>
    `* ${exists} EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 12] ok\r\n${tag} OK done\r\n`;
  const fetched = new Set<string>();
  beforeEach(() => fetched.clear());

  it.each<[string, MailServer['answers'], string | null]>([
    [
      'with a range of matches that is expanded',
      {
        EXAMINE: counted(4_294_967_295),
        'UID SEARCH': (tag) => `* ESEARCH (TAG "${tag}") UID ALL 1:16777216\r\n${tag} OK done\r\n`,
      },
      'mailbox.unreadable',
    ],
    [
      'with ranges of messages that are gone',
      { 'UID SEARCH': (tag) => `${'* VANISHED 1:16777216\r\n'.repeat(1_000)}${tag} OK done\r\n` },
      'mailbox.unreadable',
    ],
    [
      'with messages of unclosed elements',
      {
        EXAMINE: counted(8),
        'UID SEARCH': (tag) => `* SEARCH 1 2 3 4 5 6 7 8\r\n${tag} OK done\r\n`,
        'UID FETCH': (tag) => {
          const uid = fetched.size;
          fetched.add(tag);
          return uid === 0
            ? `${Array.from({ length: 8 }, (_, n) => `* ${n + 1} FETCH (UID ${n + 1} ${STRUCTURE})\r\n`).join('')}${tag} OK done\r\n`
            : `* ${9 - uid} FETCH (UID ${9 - uid} BODY[1]<0> {${HTML.length}}\r\n${HTML})\r\n${tag} OK done\r\n`;
        },
      },
      null,
    ],
  ])('%s delays nobody else', async (_what, answers, code) => {
    server.answers = answers;
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const report = await call(EMAIL_FIND, {});
    delay.disable();
    expect(report.error?.code ?? null).toBe(code);
    expect(delay.max / 1e6).toBeLessThan(1_000);
  });
});

test('the time of an operation is in its id', () => {
  const uuid = new Uint8Array(16).fill(0xff);
  uuid.set([0x01, 0x92, 0x34, 0x56, 0x78, 0x9a]);
  expect(madeAt(formatId('operation', uuid))).toBe(0x0192_3456_789a);
});
