// SPDX-License-Identifier: Apache-2.0
// Runs before dependencies are installed: plain JavaScript for Node 20, which imports only Node's own modules.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingPackages } from './install-state.mjs';

export const checkout = dirname(dirname(fileURLToPath(import.meta.url)));

/** The first release with the type stripping that the workspace needs. */
const NODE_MIN = [24, 9];
/** Seconds between two progress lines: a person sees that it works, and a CI log stays short. */
const PROGRESS_MS = 5_000;
/** Pause between two checks, well below the ten seconds of the clean-up. */
const PARENT_MS = 500;
/** The status that a shell reports for a process that a signal ended: 128 plus the signal's number. */
const KILLED = 137;

const say = (line) => process.stderr.write(`${line}\n`);

const fail = (lines) => {
  for (const line of lines) say(line);
  process.exit(1);
};

const readJson = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined);

/** Runs `npm ci` unless the installed packages match package-lock.json. */
const ensureDependencies = async () => {
  const lock = readJson(join(checkout, 'package-lock.json'));
  const missing = missingPackages(lock, readJson(join(checkout, 'node_modules', '.package-lock.json')));
  if (missing.length === 0) return;
  say(`installing npm dependencies (${missing.length} missing or changed, first: ${missing[0]}) …`);
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1000);
  const timer = setInterval(() => say(`  … still installing (${seconds()} s)`), PROGRESS_MS);
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const args = [...npm.slice(1), 'ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const code = await new Promise((resolve) => {
    const child = spawn(npm[0], args, { cwd: checkout, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', (error) => {
      say(`could not run npm: ${error.message}`);
      resolve(1);
    });
    child.on('exit', (status) => resolve(status ?? KILLED));
  });
  clearInterval(timer);
  if (code !== 0) fail(['npm ci failed; its messages are above', `to try it by hand: cd ${checkout} && npm ci`]);
  say(`npm dependencies installed in ${seconds()} s`);
};

const versionOf = (binary) => {
  const out = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(out.stdout ?? '') ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor)];
};

const isRecent = (version) =>
  version !== undefined && (version[0] > NODE_MIN[0] || (version[0] === NODE_MIN[0] && version[1] >= NODE_MIN[1]));

/** The Node that runs the workspace: the one that the lockfile pins, else the caller's own if it is recent enough. */
const findNode = () => {
  const pinned = join(checkout, 'node_modules', '.bin', 'node');
  if (existsSync(pinned) && isRecent(versionOf(pinned))) return pinned;
  if (isRecent(versionOf(process.execPath))) return process.execPath;
  return fail([
    `Writ needs Node ${NODE_MIN.join('.')} or later, and this is ${process.version}`,
    `no package of Node is pinned for ${process.platform}-${process.arch}; install a newer Node (https://nodejs.org) and try again`,
  ]);
};

const parentOf = (pid) => {
  try {
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[1],
    );
  } catch {
    return 0;
  }
};

/** npm runs a script in `sh -c`, which some shells replace with the script itself: then npm is the direct parent. */
const isScriptShell = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] === '-c';
  } catch {
    return false;
  }
};

/**
 * Calls back when npm, or the shell between, is gone, for example after SIGKILL: then no process forwards a Ctrl-C to
 * us.
 */
const onNpmGone = (stop) => {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const npm = isScriptShell(parent) ? parentOf(parent) : undefined;
  const isGone = () => process.ppid !== parent || (npm !== undefined && parentOf(parent) !== npm);
  const timer = setInterval(() => {
    if (!isGone()) return;
    clearInterval(timer);
    stop();
  }, PARENT_MS).unref();
};

/**
 * Installs what is missing, then runs a TypeScript entry point with the pinned Node, and exits with its status. When
 * this process is killed, the child notices it by the closed channel.
 *
 * @param {string} entry path of the entry point below the checkout
 * @param {readonly string[]} args its arguments
 */
export const run = async (entry, args) => {
  if (process.platform !== 'linux') fail([`Writ's local set-up runs on Linux; this is ${process.platform}`]);
  await ensureDependencies();
  const node = findNode();
  const path = [join(checkout, 'node_modules', '.bin'), dirname(node), process.env.PATH, '/usr/sbin', '/sbin']
    .filter(Boolean)
    .join(':');
  const child = spawn(
    node,
    ['--conditions=@writ/source', '--disable-warning=ExperimentalWarning', join(checkout, entry), ...args],
    { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env: { ...process.env, PATH: path } },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  onNpmGone(() => child.kill('SIGTERM'));
  child.on('error', (error) => fail([`could not run ${node}: ${error.message}`]));
  child.on('exit', (code) => process.exit(code ?? KILLED));
};
