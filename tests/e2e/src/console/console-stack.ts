// SPDX-License-Identifier: Apache-2.0
// The console in a real browser, on a whole Writ, with a real identity provider by which its people sign in.
import { Api, makeWorld, startStack, type Stack, type StackOptions, type World, type WorldOptions } from '@writ/stack';
import { freePort } from '@writ/testing';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { AuthorizationServer, PERSON_HEADER, SIGN_IN_CLIENT_ID } from '../authorization-server.ts';
import { challengeOf, OauthClient } from '../oauth-client.ts';

/** Where Debian's package puts it; tests of other machines say where theirs is. */
const CHROMIUM = process.env['WRIT_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
/** A step of a page takes far less; this ends what hangs. */
const STEP_MS = 20_000;
export const WIDE = { width: 1_280, height: 800 };
export const NARROW = { width: 360, height: 740 };

type Viewport = typeof WIDE;
export type PersonRole = 'operator' | 'admin' | 'auditor';

/** A task in a trace of Chromium. */
const TASK = 'ThreadControllerImpl::RunTask';
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** processor time of its thread, in microseconds */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** A browser of one person, and what went wrong in its pages. */
export interface Person {
  readonly context: BrowserContext;
  readonly page: Page;
  /** errors of scripts, messages of the browser about them, and what the page's policy stopped */
  readonly troubles: readonly string[];
}

interface ConsoleOptions extends WorldOptions, Pick<StackOptions, 'programs'> {
  readonly executor?: Readonly<Record<string, string>>;
  readonly orchestrator?: Readonly<Record<string, string>>;
}

/** A whole Writ with one tenant, whose people use the console. */
export class ConsoleStack {
  readonly url: string;
  readonly stack: Stack;
  readonly world: World;
  readonly #server: AuthorizationServer;
  readonly #browser: Browser;

  private constructor(url: string, stack: Stack, world: World, server: AuthorizationServer, browser: Browser) {
    this.url = url;
    this.stack = stack;
    this.world = world;
    this.#server = server;
    this.#browser = browser;
  }

  /** `programs`: other programs of the stack; `executor` and `orchestrator`: more of their environment. */
  static async open(options: ConsoleOptions = {}): Promise<ConsoleStack> {
    const { programs, executor, orchestrator = {}, ...ofWorld } = options;
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const server = await AuthorizationServer.open(url);
    const stack = await startStack({
      ...(programs === undefined ? {} : { programs }),
      env: {
        ...(executor === undefined ? {} : { executor }),
        orchestrator: {
          ...orchestrator,
          WRIT_HTTP_PORT: port,
          WRIT_PUBLIC_URL: url,
          WRIT_AUTHORIZATION_SERVERS: server.issuer,
          WRIT_ISSUER_ALLOW: server.place,
        },
      },
    });
    const world = await makeWorld(url, stack.keys.platformKey, ofWorld);
    const client = await OauthClient.discover(challengeOf((await new Api(url).get('/v1/tools')).headers));
    const provider = await world.admin.must('/v1/identity-providers', {
      name: 'corp',
      issuer: server.issuer,
      agent_id: world.agentId,
      person_claim: 'email',
      groups_claim: 'groups',
      groups: ['operator', 'admin', 'auditor'].map((role) => ({ group: `${role}s`, role })),
      sign_in: { client_id: SIGN_IN_CLIENT_ID },
      access_token: await client.signIn('root', 'writ:admin'),
    });
    server.redirectUris.add(provider.session_redirect_uri as string);
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    return new ConsoleStack(url, stack, world, server, browser);
  }

  /** Signs somebody in, and opens a page of the console. */
  async person(name: string, role: PersonRole, at = '/approvals', viewport: Viewport = WIDE): Promise<Person> {
    this.#server.groupsOf.set(name, [`${role}s`]);
    this.#server.scopesOf.set(name, 'openid');
    const context = await this.#browser.newContext({ viewport, extraHTTPHeaders: { [PERSON_HEADER]: name } });
    context.setDefaultTimeout(STEP_MS);
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on('pageerror', (error) => troubles.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') troubles.push(message.text());
    });
    const back = encodeURIComponent(`/console${at}`);
    await page.goto(`${this.url}/sign-in?tenant=${this.world.tenantId}&to=${back}`);
    await page.getByRole('button', { name: 'Sign in at corp' }).click();
    await page.waitForURL(`${this.url}/console/**`);
    return { context, page, troubles };
  }

  /**
   * The processor time of each task of a page's main thread while something runs, in milliseconds: their wall time
   * would be this machine's load.
   */
  async tasksOf<T>(page: Page, run: () => Promise<T>): Promise<{ readonly result: T; readonly ms: readonly number[] }> {
    await this.#browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
    const result = await run();
    const { traceEvents } = JSON.parse((await this.#browser.stopTracing()).toString()) as {
      readonly traceEvents: readonly TraceEvent[];
    };
    const main = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
    const isMain = (event: TraceEvent): boolean => main.some(({ pid, tid }) => pid === event.pid && tid === event.tid);
    const ms = traceEvents.flatMap((event) =>
      event.name === TASK && event.tdur !== undefined && isMain(event) ? [event.tdur / 1_000] : [],
    );
    if (ms.length === 0) throw new Error('the trace has no task of the main thread');
    return { result, ms };
  }

  /** A browser of nobody yet. */
  async newContext(): Promise<BrowserContext> {
    const context = await this.#browser.newContext();
    context.setDefaultTimeout(STEP_MS);
    return context;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.stack.stop();
    await this.#server.close();
  }
}
