// SPDX-License-Identifier: Apache-2.0
import { outcomeOf, problemsOf, run, hostWithFiles } from '../specs/world.ts';
import { exampleOf, promptText, reference } from './reference.ts';
import { VERBS } from './registry.ts';

/** Names and arities as in the language's document: NAME MIN[-MAX], and `+` before pairs. */
const DOCUMENT = `
FileRead 1 FileWrite 2 FileAppend 2 FileDelete 1 FileExists 1 FileList 1-2 FileCopy 2 FileMove 2 FileInfo 1 FileWriteMany +2-128 FileCopyMany +2-128 FileDeleteMany 1-64
FileHash 1-2 FileLineCount 1 FileHead 1-2 FileTail 1-2 FileSearch 2 FileSearchRegex 2 FileGlob 2-3 FileDiff 2 FileMimeType 1 FileEncoding 1 FileEqual 2 FileChecksum 2-3 FileAge 1 FileNewerThan 2 FileTemplate 1 FilePatch 1
DirCreate 1 DirDelete 1 DirList 1 DirExists 1 DirTree 1-2 DirFileCount 1-2 DirEmpty 1 DirCompare 2 DirHash 1-3 ProcRun 1-64
HttpGet 1 HttpPost 1-2 HttpPut 1-2 HttpDelete 1 OpenUrl 1 NetPing 1-2 NetDns 1 NetTlsCert 1-2 NetHttpStatus 1 NetTcpConnect 2-3 HttpLatency 1-2
TextRegex 2 TextReplace 3 TextSplit 2 TextJoin 2-33 TextTrim 1 TextLength 1 TextSubstring 2-3 TextLines 1 TextToUpper 1 TextToLower 1 TextBase64Encode 1 TextBase64Decode 1 TextUrlEncode 1 TextUrlDecode 1 TextHtmlEncode 1
TextContains 2 TextStartsWith 2 TextEndsWith 2 TextMatch 2 TextHash 1-2 TextSort 1-2 TextUniq 1 TextCount 1-2 TextIndexOf 2 TextLastIndexOf 2 TextRemove 2 TextWordCount 1 TextReverse 1 TextPadLeft 2-3 TextPadRight 2-3
TextRepeat 2 TextRegexGroups 2 TextColumn 2-3 TextTable 1-2
JsonParse 1 JsonQuery 2 JsonMerge 2 JsonKeys 1 JsonCount 1 JsonType 1 JsonFromPairs +2-128 JsonSet 3 JsonRemoveKey 2 JsonGet 2 JsonCompact 1 JsonStringify 1 JsonArrayFrom 1-64
EnvGet 1 EnvList 0 SysWhoAmI 0 SysPwd 0 SysHostname 0 SysUptime 0 SysDate 0 SysDateFormat 0-1 SysTimestamp 0 SysOsInfo 0 SysCpuCount 0 SysTempDir 0 SysDiskUsage 0-1 SysDirSize 1 SysMemory 0 SysProcessList 0 SysDriveList 0
SysNetInfo 0 SysLogRead 1-3 SysLogSources 0 SysServiceList 0-1 SysServiceStatus 1 ProcessFind 1
PathJoin 2-16 PathDir 1 PathFile 1 PathExt 1 PathStem 1 PathChangeExt 2 GuidNew 0 GuidNewShort 0 RandomInt 2 TimeFormat 1-2 TimeParse 1-2 TimeAdd 2 TimeDiff 2 VersionCompare 2 VersionParse 1 HexEncode 1 HexDecode 1 BaseConvert 3
FormatBytes 1 FormatDuration 1 ArchiveExtract 2 MathEval 1 ClipboardSet 1 Echo 1 Sleep 1 Assert 2-3 Fail 1 ForEach 0 If 0 Include 1
Mk8Blacklist 0 Mk8Vocab 1 Mk8VocabList 0 Mk8FreeText 0-1 Mk8Env 0 Mk8Info 0 Mk8Templates 0 Mk8Verbs 0 Mk8Skills 0 Mk8Docs 0`;
const ROWS = [...DOCUMENT.matchAll(/(\w+) (\+?)(\d+)(?:-(\d+))?/g)].map(([, name = '', plus, min, max = min]) => ({
  name,
  pairs: plus === '+',
  min: Number(min),
  max: Number(max),
}));
const ALL = [...VERBS.values()];

test('the verbs are those of the document, with its arities', () => {
  expect(ROWS.length).toBeGreaterThan(150);
  const sorted = (rows: readonly { name: string; pairs: boolean; min: number; max: number }[]) =>
    rows.map(({ name, pairs, min, max }) => `${name} ${pairs} ${min}-${max}`).sort();
  expect(sorted(ALL)).toEqual(sorted(ROWS));
});

test('every verb but those that are expanded has an implementation', () => {
  expect(ALL.filter(({ run: does }) => does === null).map(({ name }) => name)).toEqual([
    'FileWriteMany',
    'FileCopyMany',
    'FileDeleteMany',
    'ForEach',
    'If',
    'Include',
  ]);
});

test.each(ALL.filter(({ name }) => name !== 'Fail').map((verb) => [verb.name, verb] as const))(
  'the example of %s runs',
  async (_, verb) => {
    const { status, steps } = await run(exampleOf(verb));
    expect([status, steps.flatMap(({ error }) => error ?? [])]).toEqual(['completed', []]);
  },
);

test('the example of Fail fails', async () => {
  expect((await outcomeOf({ verb: 'Fail', args: ['on purpose'] })).error).toBe('on purpose');
});

test.each(ALL.map((verb) => [verb.name, verb] as const))(
  '%s takes no fewer and no more arguments than it says',
  (name, { min, max, pairs, example: { operation } }) => {
    const having = (count: number): string[] =>
      problemsOf({ operations: [{ ...operation, verb: name, args: Array.from({ length: count }, () => 'a') }] });
    const arity = expect.stringMatching(/^\/operations\/0(?:\/args)?: \w+ takes \d/) as unknown;
    if (max < 128) expect(having(max + 1)).toContainEqual(arity);
    else expect(having(max + 1)).toContainEqual(expect.stringMatching(/args/) as unknown);
    if (min > 0) expect(having(min - 1)).toContainEqual(arity);
    if (pairs) expect(having(3)).toContainEqual(expect.stringContaining('in pairs') as unknown);
  },
);

test.each(
  ALL.filter(({ run: does, name }) => does !== null && name !== 'FileTemplate' && name !== 'FilePatch').map(
    (verb) => [verb.name, verb] as const,
  ),
)('%s holds up against hostile arguments', async (name, { min, max }) => {
  const hostile = [
    '',
    '../../etc/passwd',
    '/etc/passwd',
    '\0',
    '$WORKSPACE/../x',
    'http://169.254.169.254/',
    '(a+)+$',
    '{"__proto__":{"a":1}}',
    '-1',
    '9'.repeat(15),
    '\ud800',
    '%',
    'a'.repeat(5000),
    '$ITEM',
    '--help',
    '[[[[',
  ];
  for (const value of hostile)
    for (const count of new Set([Math.max(min, Math.min(1, max)), max > 8 ? min : max])) {
      const host = hostWithFiles();
      const script = { operations: [{ verb: name, args: Array.from({ length: count }, () => value) }] };
      if (problemsOf(script).length > 0) continue;
      const { steps } = await run(script, host);
      expect(['ok', 'failed']).toContain(steps[0]?.status);
      expect(steps[0]?.error ?? '').not.toMatch(/undefined|is not a function|Cannot read|\[object/);
      expect(host.net.connected).toEqual([]);
    }
  expect(({} as Record<string, unknown>)['a']).toBeUndefined();
});

test('reference and prompt name every verb', () => {
  for (const { name } of ALL) {
    expect(reference(ALL)).toContain(`\n${name} [`);
    expect(promptText(ALL)).toContain(`${name} [`);
  }
});
