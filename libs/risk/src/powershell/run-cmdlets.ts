// SPDX-License-Identifier: Apache-2.0
import { runElsewhere } from '../programs/remote.ts';
import { isLocal, noteSentFile } from '../programs/egress.ts';
import { noteMade, noteWrite } from '../programs/write.ts';
import { DOWNLOADED, field, SECRET, UNKNOWN } from '../shell/field.ts';
import { FROM_NETWORK } from '../shell/source.ts';
import { Bound, type Argument } from './arguments.ts';
import { pathOf } from './paths.ts';
import { COMPUTES, READS } from './dotnet-names.ts';
import type { Cmdlet, Session } from './session.ts';
import { NO_VALUE, tainted, textValue, union, UNKNOWN_VALUE, type Value } from './values.ts';

const invokeExpression: Cmdlet = (args, input, session) => {
  const bound = new Bound(args, { values: ['command'], switches: [] });
  return session.runTexts(bound.value('command') ?? bound.positional[0] ?? input, NO_VALUE);
};

/** Runs every given block for each item from the pipeline. An unquoted word is a member that is read or called. */
const forEachObject: Cmdlet = (args, input, session) => {
  const bound = new Bound(args, {
    values: [
      'process',
      'begin',
      'end',
      'remainingscripts',
      'membername',
      'argumentlist',
      'inputobject',
      'throttlelimit',
      'timeoutseconds',
      'parallel',
    ],
    switches: ['asjob', 'usenewrunspace'],
  });
  const given = [bound.value('process', 'begin', 'end', 'remainingscripts', 'parallel'), ...bound.positional].filter(
    (value) => value !== undefined,
  );
  const outputs = given.map((value) =>
    value.block ? session.runBlock(value.block, input.fields.length > 0 ? input : UNKNOWN_VALUE) : NO_VALUE,
  );
  const member = bound.value('membername') ?? given.find(({ block }) => !block);
  if (member) outputs.push(memberOf(member, input, session));
  return union(outputs);
};

function memberOf({ fields }: Value, input: Value, session: Session): Value {
  const name = fields[0]?.text ?? UNKNOWN;
  if (/^(?:delete|kill|moveto|terminate|removeall)$/i.test(name)) {
    if (/^(?:delete|moveto)$/i.test(name))
      session.start('remove-item', [{ parameter: 'recurse', word: field('-Recurse') }], input);
    else session.shell.act('process_kill', 'foreach-object', name);
  } else if (!/^[\w-]+$/.test(name)) {
    session.unread(name);
  }
  return /^(?:fullname|name|path|pspath|basename)$/i.test(name) ? input : tainted(union([input, UNKNOWN_VALUE]));
}

/** A block that selects, sorts or groups: it runs, and its input is unchanged. */
const choosing: Cmdlet = (args, input, session) => {
  for (const { value } of args) if (value?.block) session.runBlock(value.block, input);
  for (const { value } of args)
    for (const entry of value?.entries?.values() ?? []) if (entry.block) session.runBlock(entry.block, input);
  return input;
};

/** A block that runs with the given values. */
const runsBlocks: Cmdlet = (args, input, session) =>
  union(args.map(({ value }) => (value?.block ? session.runBlock(value.block, input) : NO_VALUE)));

/** `Invoke-Command`: with a computer or a session it runs there. */
const invokeCommand: Cmdlet = (args, input, session) => {
  const isRemote = args.some(
    ({ parameter }) =>
      parameter !== undefined && /^(?:c(?:o(?:m|n)?.*|n)?|session.*|se|hostname|host.*|vm.*|cn)$/.test(parameter),
  );
  const isFile = args.some(({ parameter }) => parameter !== undefined && /^fi(?:l|le|lepath)?$/.test(parameter));
  if (isFile) session.unread('Invoke-Command -FilePath');
  return isRemote
    ? runElsewhere(session.shell, () => runsBlocks(args, input, session, ''))
    : runsBlocks(args, input, session, '');
};

const startProcess: Cmdlet = (args, input, session) => {
  const bound = new Bound(args, {
    values: [
      'filepath',
      'argumentlist',
      'credential',
      'workingdirectory',
      'redirectstandarderror',
      'redirectstandardinput',
      'redirectstandardoutput',
      'verb',
      'windowstyle',
      'environment',
    ],
    switches: ['loaduserprofile', 'nonewwindow', 'passthru', 'usenewenvironment', 'wait'],
    aliases: {
      pspath: 'filepath',
      path: 'filepath',
      args: 'argumentlist',
      nnw: 'nonewwindow',
      rse: 'redirectstandarderror',
      rsi: 'redirectstandardinput',
      rso: 'redirectstandardoutput',
      runas: 'verb',
    },
  });
  if (/^runas/i.test(bound.value('verb')?.fields[0]?.text ?? ''))
    session.shell.act('privilege', 'start-process', '-Verb RunAs');
  const program = bound.value('filepath') ?? bound.positional[0] ?? UNKNOWN_VALUE;
  const words =
    (bound.value('argumentlist') ?? (bound.value('filepath') ? bound.positional[0] : bound.positional[1]))?.fields ??
    [];
  // Its list is joined by spaces, and the program splits it.
  const list = words.flatMap(({ text, glob }) =>
    text.includes('"')
      ? [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => field(quoted ?? bare ?? ''))
      : text.split(/\s+/).map((word) => field(word, glob)),
  );
  for (const { text } of bound.value('redirectstandardoutput', 'redirectstandarderror')?.fields ?? [])
    noteWrite('overwrite', 'start-process', pathOf(text, true), session.shell);
  for (const { text } of program.fields)
    session.start(
      text,
      list.map((word): Argument => argumentOf(word)),
      input,
    );
  return NO_VALUE;
};

const argumentOf = (word: ReturnType<typeof field>): Argument =>
  /^-+[A-Za-z]\w*$/.test(word.text)
    ? { parameter: word.text.replace(/^-+/, '').toLowerCase(), word }
    : { value: { fields: [word] }, word };

const SENDS = {
  values: [
    'uri',
    'method',
    'custommethod',
    'body',
    'infile',
    'outfile',
    'headers',
    'contenttype',
    'credential',
    'authentication',
    'token',
    'form',
    'proxy',
    'useragent',
    'timeoutsec',
    'websession',
    'sessionvariable',
    'maximumredirection',
    'maximumretrycount',
  ],
  switches: [
    'usebasicparsing',
    'usedefaultcredentials',
    'passthru',
    'skipcertificatecheck',
    'disablekeepalive',
    'resume',
    'followrellink',
  ],
  aliases: { url: 'uri' },
} as const;
/** A response is content of the network. The gate judges the request, unless it contains a secret. */
const webRequest: Cmdlet = (args, input, { shell }, name) => {
  const bound = new Bound(args, SENDS);
  const target = (bound.value('uri') ?? bound.positional[0])?.fields[0]?.text ?? UNKNOWN;
  if (isLocal(target)) return UNKNOWN_VALUE;
  shell.act('network', name, target);
  const method = (bound.value('method', 'custommethod')?.fields[0]?.text ?? 'get').toLowerCase();
  if (method === 'delete') shell.act('remote_loss', `${name} delete`, target);
  else if (method === 'put' || method === 'patch') shell.act('infrastructure_change', `${name} ${method}`, target);
  for (const { text } of bound.value('infile')?.fields ?? []) noteSentFile(name, pathOf(text, true), shell);
  const sent = union([
    bound.value('body', 'form') ?? NO_VALUE,
    ...[...(bound.value('body', 'form')?.entries?.values() ?? [])],
    method === 'get' ? NO_VALUE : input,
  ]);
  if (sent.fields.some(({ text }) => text.includes(SECRET)) || target.includes(SECRET))
    shell.act('secret_egress', name, target);
  for (const { text } of bound.value('outfile')?.fields ?? []) {
    noteWrite('overwrite', name, pathOf(text, true), shell);
    noteMade(pathOf(text, true), FROM_NETWORK, shell);
  }
  return bound.value('outfile') ? NO_VALUE : textValue(DOWNLOADED);
};

const setAlias: Cmdlet = (args, input, session) => {
  const bound = new Bound(args, {
    values: ['name', 'value', 'description', 'option', 'scope'],
    switches: ['force', 'passthru'],
  });
  const names = bound.value('name') ?? bound.positional[0] ?? input;
  const target = bound.value('value') ?? bound.positional[bound.value('name') ? 0 : 1] ?? UNKNOWN_VALUE;
  for (const { text } of names.fields) {
    if (text === UNKNOWN) session.unread('an alias');
    else
      session.aliases.set(
        text.toLowerCase(),
        target.fields.length === 1 ? (target.fields[0]?.text ?? UNKNOWN) : UNKNOWN,
      );
  }
  return NO_VALUE;
};

const setVariable: Cmdlet = (args, input, session) => {
  const bound = new Bound(args, {
    values: ['name', 'value', 'description', 'option', 'scope', 'visibility', 'include', 'exclude'],
    switches: ['force', 'passthru'],
  });
  const names = bound.value('name') ?? bound.positional[0] ?? NO_VALUE;
  const value = bound.value('value') ?? bound.positional[bound.value('name') ? 0 : 1] ?? input;
  for (const { text } of names.fields)
    session.variables.set(
      text.toLowerCase(),
      session.uncertain > 0 ? union([value, session.variables.get(text.toLowerCase()) ?? NO_VALUE]) : value,
    );
  return NO_VALUE;
};
const getVariable: Cmdlet = (args, _input, session) => {
  const bound = new Bound(args, { values: ['name', 'scope', 'include', 'exclude'], switches: ['valueonly'] });
  return union(
    (bound.value('name') ?? bound.positional[0] ?? UNKNOWN_VALUE).fields.map(
      ({ text }) => session.variables.get(text.toLowerCase()) ?? UNKNOWN_VALUE,
    ),
  );
};

/** Objects of types that compute; any other may do anything. */
const newObject: Cmdlet = (args, _input, session) => {
  const bound = new Bound(args, {
    values: ['typename', 'argumentlist', 'property', 'comobject'],
    switches: ['strict'],
    aliases: { args: 'argumentlist' },
  });
  const type = (bound.value('typename') ?? bound.positional[0])?.fields[0]?.text ?? '';
  const short = type.toLowerCase().replace(/^system\./, '');
  if (bound.value('comobject') ?? (!COMPUTES.test(short) && !READS.test(short))) session.unread(`New-Object ${type}`);
  return union([bound.value('argumentlist') ?? bound.positional[1] ?? NO_VALUE, UNKNOWN_VALUE]);
};

/** Code of another language, or of a file. */
const unknownCode: Cmdlet = (args, _input, session, name) => {
  session.unread(`${name} ${args.map(({ word }) => word.text).join(' ')}`);
  return UNKNOWN_VALUE;
};
/** Modules by name are like programs; a file beside the script is like a script. */
const importModule: Cmdlet = (args, _input, session, name) => {
  if (
    args.some(({ value }) =>
      value?.fields.some(({ text }) => text === UNKNOWN || /^(?:\\\\|https?:|\/tmp\/)/.test(text)),
    )
  )
    session.unread(name);
  return NO_VALUE;
};

const output: Cmdlet = (args, input) => {
  const values = args.filter(({ parameter }) => parameter === undefined).map(({ value }) => value ?? NO_VALUE);
  return values.length > 0 ? union(values) : input;
};

export const RUN_CMDLETS: Readonly<Record<string, Cmdlet>> = {
  'invoke-expression': invokeExpression,
  'foreach-object': forEachObject,
  'where-object': choosing,
  'sort-object': choosing,
  'group-object': choosing,
  'select-object': choosing,
  'measure-object': choosing,
  'format-table': choosing,
  'format-list': choosing,
  'compare-object': choosing,
  'get-unique': choosing,
  'invoke-command': invokeCommand,
  'start-job': runsBlocks,
  'start-threadjob': runsBlocks,
  'measure-command': runsBlocks,
  'trace-command': runsBlocks,
  'register-objectevent': runsBlocks,
  'register-engineevent': runsBlocks,
  'register-argumentcompleter': runsBlocks,
  'new-module': runsBlocks,
  'set-psbreakpoint': runsBlocks,
  'use-transaction': runsBlocks,
  'start-process': startProcess,
  'invoke-item': (args, input, session) =>
    union(args.flatMap(({ value }) => value?.fields ?? []).map(({ text }) => session.start(text, [], input))),
  'invoke-webrequest': webRequest,
  'invoke-restmethod': webRequest,
  'start-bitstransfer': webRequest,
  'set-alias': setAlias,
  'new-alias': setAlias,
  'set-variable': setVariable,
  'new-variable': setVariable,
  'get-variable': getVariable,
  'new-object': newObject,
  'add-type': unknownCode,
  'invoke-history': unknownCode,
  'invoke-wmimethod': unknownCode,
  'invoke-cimmethod': unknownCode,
  'import-alias': unknownCode,
  'import-module': importModule,
  'invoke-module': importModule,
  'write-output': output,
  'out-string': (_args, input) => input,
  'out-null': () => NO_VALUE,
  'get-command': () => UNKNOWN_VALUE,
  'get-alias': () => UNKNOWN_VALUE,
};
