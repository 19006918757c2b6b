// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { CliError, EXIT, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { Client } from '../http/client.ts';
import { connect, type Connection } from '../http/connection.ts';
import { parseCount } from '../http/lists.ts';
import { isForPrograms } from '../output/formats.ts';
import { paint } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { Conversation, type RunBounds, type RunOutcome } from './conversation.ts';
import { openSession, type SessionOptions } from './open-session.ts';
import { combineOutputs, type ChatOutput } from './chat-output.ts';
import type { Terminal } from './terminal-port.ts';

interface ChatOptions extends CommonOptions, SessionOptions {
  readonly rounds?: number;
  readonly tokens?: number;
  readonly cost?: number;
  readonly verbose?: boolean;
  readonly wait?: boolean;
}

/**
 * `writ chat`. In a terminal it is a conversation. With a message, or in a pipe, it is one run of the agent, whose
 * outcome is the exit status.
 */
export function chatCommand(context: Context): Command {
  const command = new Command('chat')
    .argument('[message...]', 'the task for the agent; by default typed at the terminal, or read from standard input')
    .option('--session <id>', 'continue this session; a new one by default')
    .option('--model <name>', 'the model; required if there are several')
    .option('--dialect <name>', 'how the model writes tool calls: native (the default), blocks, tools-xml or yips')
    .option('--system <text>', 'text that the session adds to the prompt')
    .option('--name <text>', 'a name for the session')
    .option('--workspace <id>', 'the workspace it works on')
    .option('--token <id>', 'the capability token of its calls')
    .option('--agent <id>', 'the agent on whose behalf it works')
    .option('--rounds <n>', 'maximum rounds of a run', parseCount)
    .option('--tokens <n>', 'maximum tokens of a run', parseCount)
    .option('--cost <n>', "maximum cost of a run, in millionths of the model's currency", parseCount)
    .option('--gateway', 'a session in which nobody can be asked: calls that need a person are refused')
    .option('--verbose', 'show arguments and results of calls, envelopes with their problems and warnings, and tokens')
    .option('--wait', 'without a terminal: keep waiting while a call is held');
  return command.action(
    async (words: string[]) => await chat(context, words.join(' '), command.optsWithGlobals<ChatOptions>()),
  );
}

async function chat(context: Context, message: string, options: ChatOptions): Promise<void> {
  const terminal = isForPrograms(options) ? null : context.terminal;
  const input = message !== '' || terminal !== null ? message : await context.readStdin();
  if (input.trim() === '' && terminal === null)
    throw usage('a message is needed: as an argument, or on standard input');
  const connection = connect(context, options, 'agent');
  const session = await openSession(connection, options);
  const shown = { isVerbose: options.verbose === true };
  const page = outputOf(context, options, terminal, shown);
  const conversation = new Conversation({
    client: connection.client,
    deciderClient: connectDecider(context, options, connection),
    session,
    bounds: boundsOf(options),
    output: page,
    terminal,
    waitsWhileHeld: options.wait === true,
    isVerbose: () => shown.isVerbose,
    onInterrupt: context.onInterrupt,
  });
  if (input === '' && terminal !== null)
    return await runConversation(conversation, { terminal, page, display: shown, sessionId: session.session_id });
  printOutcome(context, options, await conversation.send(input));
}

/** In a terminal, text and notes share one output. In a pipe, only the model's text goes to standard output. */
function outputOf(
  { write, writeError }: Context,
  options: ChatOptions,
  terminal: Terminal | null,
  shown: { readonly isVerbose: boolean },
): ChatOutput {
  if (terminal !== null) return combineOutputs({ say: write, note: write, warn: write });
  return combineOutputs({
    say: isForPrograms(options) ? () => undefined : write,
    note: shown.isVerbose ? writeError : null,
    warn: writeError,
  });
}

/** Nobody approves their own call, so decisions use another key where one is configured. */
function connectDecider(context: Context, options: ChatOptions, { client, source }: Connection): Client {
  const { operatorKey } = context.env;
  // INVARIANT (one source): the client sends the key of the environment only to the address of the environment.
  if (source.kind === 'environment' && operatorKey !== undefined) return new Client(client.url, operatorKey);
  // The local set-up has a key for each role; a context has one key.
  return source.kind === 'local' ? connect(context, { ...options, as: 'operator' }, 'operator').client : client;
}

const boundsOf = ({ rounds, tokens, cost }: ChatOptions): RunBounds => ({
  rounds_max: rounds,
  tokens_max: tokens,
  cost_max: cost,
});

/** The exit status is 0 where the model ended the run itself. @throws CliError `run` */
function printOutcome(context: Context, options: ChatOptions, { run, text }: RunOutcome): void {
  if (isForPrograms(options)) show(context, options, { session_id: run.session_id, run, text }, () => '');
  if (run.stopped === 'end') return;
  if (run.stopped === null)
    throw new CliError(
      'run',
      `run \`${visibleLine(run.run_id)}\` waits for a person, and goes on by itself when it is decided`,
      EXIT.held,
    );
  context.setExit(EXIT.failed);
}

interface ChatContext {
  readonly terminal: Terminal;
  readonly page: ChatOutput;
  readonly display: { isVerbose: boolean };
  readonly sessionId: string;
}

const HELP =
  '/verbose shows or hides arguments, answers, envelopes and their problems, /session names the session, /quit leaves; ctrl-c cancels a run. A line that ends with \\ goes on in the next.';

/** Reads message after message until the person quits. An error in one run ends only that run. */
async function runConversation(conversation: Conversation, chatContext: ChatContext): Promise<void> {
  const { page, sessionId } = chatContext;
  page.note(paint.dim(`session ${visibleLine(sessionId)}; /help`));
  for (;;) {
    const message = await readMessage(chatContext);
    if (message === null) return;
    if (message.trim() === '') continue;
    if (message.startsWith('/')) {
      if (!runChatCommand(message.trim(), chatContext)) return;
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

/** False where the person quits. */
function runChatCommand(command: string, { page, display, sessionId }: ChatContext): boolean {
  if (command === '/quit' || command === '/exit') return false;
  if (command === '/verbose') {
    display.isVerbose = !display.isVerbose;
    page.note(
      paint.dim(
        display.isVerbose ? 'arguments and answers of calls are shown, and envelopes' : 'calls are shown in a line',
      ),
    );
  } else if (command === '/session') page.note(visibleLine(sessionId));
  else page.note(paint.dim(command === '/help' ? HELP : `there is no ${visibleLine(command)}; ${HELP}`));
  return true;
}

/**
 * Reads a message. A line that ends with a backslash continues on the next line. Null at the end of the input. Ctrl-c
 * discards the message.
 */
async function readMessage({ terminal, page }: ChatContext): Promise<string | null> {
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
