// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { CliError, EXIT, usage } from '../cli-error.ts';
import type { CommonOptions, Context } from '../context.ts';
import { Client } from '../http/client.ts';
import { connect, type Connection } from '../http/connection.ts';
import { parseCount } from '../http/lists.ts';
import { paint } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { Conversation, type RunBounds, type Turn } from './conversation.ts';
import { openSession, type SessionOptions } from './open-session.ts';
import { pageOn, type Page } from './page.ts';
import type { Terminal } from './terminal-port.ts';

interface ChatOptions extends CommonOptions, SessionOptions {
  readonly rounds?: number;
  readonly tokens?: number;
  readonly cost?: number;
  readonly verbose?: boolean;
  readonly wait?: boolean;
}

/**
 * `writ chat`. In a terminal a conversation; with a message, or in a pipe, one run of the agent, whose end is the exit
 * status.
 */
export function chatCommand(context: Context): Command {
  const command = new Command('chat')
    .argument('[message...]', 'what the agent is to do; in a pipe standard input, in a terminal asked for')
    .option('--session <id>', 'go on in this session; a new one unless said')
    .option('--model <name>', 'which model; needed where there are several')
    .option('--dialect <name>', 'how it calls tools: native unless said, blocks, tools-xml, yips')
    .option('--system <text>', 'what the session adds to the prompt')
    .option('--name <text>', 'what the session is called')
    .option('--workspace <id>', 'the workspace it works on')
    .option('--token <id>', 'the capability token of its calls')
    .option('--agent <id>', 'the agent on whose behalf it works')
    .option('--rounds <n>', 'rounds that a run may have at most', parseCount)
    .option('--tokens <n>', 'tokens that a run may use at most', parseCount)
    .option('--cost <n>', "what a run may cost at most, in millionths of the model's currency", parseCount)
    .option('--verbose', 'arguments and answers of calls, and what a run used')
    .option('--wait', 'where nobody can be asked: stay while a call waits for a person');
  return command.action(
    async (words: string[]) => await chat(context, words.join(' '), command.optsWithGlobals<ChatOptions>()),
  );
}

async function chat(context: Context, message: string, options: ChatOptions): Promise<void> {
  const terminal = options.json === true ? null : context.terminal;
  const input = message !== '' || terminal !== null ? message : await context.readStdin();
  if (input.trim() === '' && terminal === null)
    throw usage('a message is needed: as an argument, or on standard input');
  const speaker = connect(context, options, 'agent');
  const session = await openSession(speaker, options);
  const shown = { isVerbose: options.verbose === true };
  const page = pageOf(context, options, terminal, shown);
  const conversation = new Conversation({
    speaker: speaker.client,
    decider: deciderOf(context, options, speaker),
    session,
    bounds: boundsOf(options),
    page,
    terminal,
    waits: options.wait === true,
    isVerbose: () => shown.isVerbose,
    onInterrupt: context.onInterrupt,
  });
  if (input === '' && terminal !== null)
    return await converse(conversation, { terminal, page, shown, sessionId: session.session_id });
  endWith(context, options, await conversation.send(input));
}

/** In a terminal all stands in one place; in a pipe only what the model says is the output. */
function pageOf(
  { write, complain }: Context,
  { json }: ChatOptions,
  terminal: Terminal | null,
  shown: { readonly isVerbose: boolean },
): Page {
  if (terminal !== null) return pageOn({ say: write, note: write, warn: write });
  return pageOn({
    say: json === true ? () => undefined : write,
    note: shown.isVerbose ? complain : null,
    warn: complain,
  });
}

/** Nobody approves their own call, so who decides speaks with another key, where one is known. */
function deciderOf(context: Context, options: ChatOptions, { client }: Connection): Client {
  const { operatorKey, url } = context.env;
  if (options.url !== undefined || options.apiKey !== undefined) return client;
  // INVARIANT (one source): the key of the environment goes to the address of the environment alone.
  if (url !== undefined) return operatorKey === undefined ? client : new Client(client.url, operatorKey);
  return connect(context, { ...options, as: 'operator' }, 'operator').client;
}

const boundsOf = ({ rounds, tokens, cost }: ChatOptions): RunBounds => ({
  rounds_max: rounds,
  tokens_max: tokens,
  cost_max: cost,
});

/** The status is the run's: 0 where the model came to its own end. @throws CliError `run` */
function endWith(context: Context, { json }: ChatOptions, { run, text }: Turn): void {
  if (json === true) context.write(`${JSON.stringify({ session_id: run.session_id, run, text }, null, 2)}\n`);
  if (run.stopped === 'end') return;
  if (run.stopped === null)
    throw new CliError(
      'run',
      `run \`${visibleLine(run.run_id)}\` waits for a person, and goes on by itself when it is decided`,
    );
  context.setExit(EXIT.failed);
}

interface Room {
  readonly terminal: Terminal;
  readonly page: Page;
  readonly shown: { isVerbose: boolean };
  readonly sessionId: string;
}

const HELP =
  '/verbose shows or hides arguments and answers, /session names the session, /quit leaves; ctrl-c cancels a run. A line that ends with \\ goes on in the next.';

/** Message after message, until the person leaves. What fails in one run ends that run alone. */
async function converse(conversation: Conversation, room: Room): Promise<void> {
  const { page, sessionId } = room;
  page.note(paint.dim(`session ${visibleLine(sessionId)}; /help`));
  for (;;) {
    const message = await readMessage(room);
    if (message === null) return;
    if (message.trim() === '') continue;
    if (message.startsWith('/')) {
      if (!obey(message.trim(), room)) return;
      continue;
    }
    try {
      await conversation.send(message);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      page.warn(paint.red(`error ${error.code}: ${visibleLine(error.message)}`));
    }
  }
}

/** False where the person leaves. */
function obey(command: string, { page, shown, sessionId }: Room): boolean {
  if (command === '/quit' || command === '/exit') return false;
  if (command === '/verbose') {
    shown.isVerbose = !shown.isVerbose;
    page.note(paint.dim(shown.isVerbose ? 'arguments and answers of calls are shown' : 'calls are shown in a line'));
  } else if (command === '/session') page.note(visibleLine(sessionId));
  else page.note(paint.dim(command === '/help' ? HELP : `there is no ${visibleLine(command)}; ${HELP}`));
  return true;
}

/**
 * What is typed, over several lines where one ends with a backslash; null at the end of the input. Ctrl-c takes it
 * back.
 */
async function readMessage({ terminal, page }: Room): Promise<string | null> {
  let message = '';
  for (;;) {
    const typed = await terminal.readLine(paint.cyan(message === '' ? '› ' : '… '));
    if (typed.kind === 'end') return null;
    if (typed.kind !== 'text') {
      if (message === '') page.note(paint.dim('/quit or ctrl-d leaves'));
      message = '';
      continue;
    }
    if (!typed.text.endsWith('\\')) return message + typed.text;
    message += `${typed.text.slice(0, -1)}\n`;
  }
}
