// SPDX-License-Identifier: Apache-2.0
import { REPOSITORY_URL, hostWithFiles, outcomeOf, problemsOfOne, run } from '../specs/world.ts';
import { VERBS } from '../registry/registry.ts';

type Case = readonly [verb: string, args: readonly string[], output: string | RegExp];
const SHA_ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const SHA_A = 'c9b0fb1fa00b3a5ce714c876c35bb18f21eed970d33d9093a3cbd7cf0c9db3dc';

const TEXT: readonly Case[] = [
  ['TextRegex', ['a1 b22', '[0-9]+'], '1\n22'],
  ['TextRegex', ['abc', '[0-9]'], ''],
  ['TextRegexGroups', ['k=v', '(\\w)=(?P<right>\\w)'], '0: k=v\n1: k\nright: v'],
  ['TextMatch', ['v12', '^v[0-9]+$'], 'True'],
  ['TextMatch', ['x', 'y'], 'False'],
  ['TextContains', ['abc', 'B'], 'False'],
  ['TextContains', ['abc', 'b'], 'True'],
  ['TextStartsWith', ['abc', 'ab'], 'True'],
  ['TextEndsWith', ['abc', 'ab'], 'False'],
  ['TextCount', ['a,b,c', ','], '2'],
  ['TextCount', ['añ😀'], '3'],
  ['TextIndexOf', ['😀b', 'b'], '1'],
  ['TextIndexOf', ['a', 'z'], '-1'],
  ['TextLastIndexOf', ['abcb', 'b'], '3'],
  ['TextWordCount', [' two  words '], '2'],
  ['TextWordCount', [' '], '0'],
  ['TextLength', ['😀a'], '2'],
  ['TextReplace', ['a.b.c', '.', '$&'], 'a$&b$&c'],
  ['TextRemove', ['a-b', '-'], 'ab'],
  ['TextSplit', ['a,b', ','], 'a\nb'],
  ['TextSplit', ['ab', ''], 'a\nb'],
  ['TextJoin', ['-', 'a', 'b', 'c'], 'a-b-c'],
  ['TextTrim', [' a '], 'a'],
  ['TextSubstring', ['abcdef', '1', '3'], 'bcd'],
  ['TextSubstring', ['abc', '1'], 'bc'],
  ['TextLines', ['a\r\nb\n'], 'a\nb'],
  ['TextToUpper', ['aß'], 'ASS'],
  ['TextToLower', ['ÄB'], 'äb'],
  ['TextSort', ['b\na\nC'], 'C\na\nb'],
  ['TextSort', ['b\na', 'desc'], 'b\na'],
  ['TextUniq', ['a\nb\na'], 'a\nb'],
  ['TextReverse', ['a😀'], '😀a'],
  ['TextPadLeft', ['7', '3', '0'], '007'],
  ['TextPadRight', ['7', '3'], '7  '],
  ['TextRepeat', ['ab', '2'], 'abab'],
  ['TextRepeat', ['ab', '0'], ''],
  ['TextColumn', ['a  b\nc d', '1'], 'b\nd'],
  ['TextColumn', ['a;b', '1', ';'], 'b'],
  ['TextTable', ['a,bb\nccc,d', ','], 'a    bb\nccc  d'],
  ['TextBase64Encode', ['hi'], 'aGk='],
  ['TextBase64Decode', ['aGk='], 'hi'],
  ['TextUrlEncode', ['a b&ü'], 'a%20b%26%C3%BC'],
  ['TextUrlDecode', ['a%20b+c'], 'a b c'],
  ['TextHtmlEncode', ['<a b="\'&">'], '&lt;a b=&quot;&#39;&amp;&quot;&gt;'],
  ['TextHash', ['abc'], SHA_ABC],
  ['TextHash', ['abc', 'md5'], '900150983cd24fb0d6963f7d28e17f72'],
];
const JSON_CASES: readonly Case[] = [
  ['JsonParse', ['{"a":[1]}'], '{\n  "a": [\n    1\n  ]\n}'],
  ['JsonQuery', ['{"a":[{"b":1},{"b":2}]}', '$.a[?@.b > 1].b'], '2'],
  ['JsonQuery', ['{"a":[1,2]}', '$.a[*]'], '[\n  1,\n  2\n]'],
  ['JsonQuery', ['{"a":[1,2]}', '/a/1'], '2'],
  ['JsonQuery', ['{"a":"aab"}', '$[?match(@, "a+b")]'], '"aab"'],
  ['JsonQuery', ['{}', '$.x'], '[]'],
  ['JsonMerge', ['{"a":1,"b":{"c":1}}', '{"b":{"d":2}}'], '{\n  "a": 1,\n  "b": {\n    "c": 1,\n    "d": 2\n  }\n}'],
  ['JsonKeys', ['{"a":1,"b":2}'], 'a\nb'],
  ['JsonCount', ['[1,2]'], '2'],
  ['JsonCount', ['{"a":1}'], '1'],
  ['JsonType', ['null'], 'null'],
  ['JsonType', ['[]'], 'array'],
  ['JsonFromPairs', ['a', '1'], '{\n  "a": "1"\n}'],
  ['JsonSet', ['{"a":1}', 'b', 'true'], '{\n  "a": 1,\n  "b": true\n}'],
  ['JsonSet', ['{}', 'b', 'tru'], '{\n  "b": "tru"\n}'],
  ['JsonSet', ['[1]', '1', '2'], '[\n  1,\n  2\n]'],
  ['JsonSet', ['{}', '__proto__', '1'], '{\n  "__proto__": 1\n}'],
  ['JsonRemoveKey', ['{"a":1,"b":2}', 'a'], '{\n  "b": 2\n}'],
  ['JsonRemoveKey', ['[1,2]', '0'], '[\n  2\n]'],
  ['JsonGet', ['{"a":"x"}', 'a'], 'x'],
  ['JsonGet', ['[1,2]', '-1'], '2'],
  ['JsonCompact', ['{ "a" : 1 }'], '{"a":1}'],
  ['JsonStringify', ['a"b'], '"a\\"b"'],
  ['JsonArrayFrom', ['a', 'b'], '[\n  "a",\n  "b"\n]'],
];
const FILES: readonly Case[] = [
  ['FileRead', ['a.txt'], 'one\nthree\n'],
  ['FileWrite', ['b.txt', 'é'], 'wrote 2 bytes to b.txt'],
  ['FileAppend', ['a.txt', 'x'], 'added 1 bytes to a.txt'],
  ['FileDelete', ['absent.txt'], 'deleted absent.txt'],
  ['FileExists', ['src'], 'False'],
  ['FileExists', ['a.txt'], 'True'],
  ['FileList', ['$WORKSPACE'], 'a.txt\na.zip'],
  ['FileList', ['src', '*.txt'], ''],
  ['FileCopy', ['a.txt', 'c.txt'], 'copied a.txt to c.txt'],
  ['FileMove', ['a.txt', 'd/c.txt'], 'moved a.txt to d/c.txt'],
  ['FileInfo', ['src'], /kind: directory/],
  ['FileHash', ['a.txt'], SHA_A],
  ['FileLineCount', ['a.txt'], '2'],
  ['FileHead', ['a.txt', '1'], 'one'],
  ['FileTail', ['a.txt', '1'], 'three'],
  ['FileSearch', ['a.txt', 'r'], '2: three'],
  ['FileSearchRegex', ['a.txt', '^o'], '1: one'],
  ['FileGlob', ['$WORKSPACE', '**/*.md'], 'src/readme.md'],
  ['FileGlob', ['$WORKSPACE', '**/*.md', '1'], ''],
  ['FileDiff', ['a.txt', 'src/readme.md'], /-one\n-three\n\+# Readme/],
  ['FileDiff', ['a.txt', 'a.txt'], ''],
  ['FileMimeType', ['a.zip'], 'application/zip'],
  ['FileMimeType', ['a.txt'], 'text/plain'],
  ['FileEncoding', ['a.txt'], 'ascii'],
  ['FileEncoding', ['a.zip'], 'binary'],
  ['FileEqual', ['a.txt', 'src/readme.md'], 'False'],
  ['FileChecksum', ['a.txt', SHA_A.toUpperCase()], 'True'],
  ['FileAge', ['a.txt'], '0'],
  ['FileNewerThan', ['a.txt', '60'], 'True'],
  ['DirCreate', ['x/y'], 'made x/y'],
  ['DirDelete', ['src'], 'deleted src'],
  ['DirDelete', ['absent'], 'deleted absent'],
  ['DirList', ['$WORKSPACE'], 'a.txt\na.zip\nsrc/'],
  ['DirExists', ['src'], 'True'],
  ['DirExists', ['a.txt'], 'False'],
  ['DirTree', ['$WORKSPACE'], 'a.txt\na.zip\nsrc/\n  readme.md'],
  ['DirTree', ['$WORKSPACE', '1'], 'a.txt\na.zip\nsrc/'],
  ['DirFileCount', ['$WORKSPACE'], '3'],
  ['DirFileCount', ['$WORKSPACE', '*.md'], '1'],
  ['DirEmpty', ['src'], 'False'],
  ['DirCompare', ['src', '$WORKSPACE'], /only in first: readme.md/],
  ['DirCompare', ['src', 'src'], 'identical'],
  ['DirHash', ['src'], /^[0-9a-f]{64}$/],
  ['DirHash', ['src', 'md5', '*.md'], /^[0-9a-f]{32}$/],
  ['ArchiveExtract', ['a.zip', 'out'], 'extracted 1 files (1 bytes) to out'],
];
const VALUES: readonly Case[] = [
  ['PathJoin', ['a/', '/b', 'c.txt'], 'a/b/c.txt'],
  ['PathJoin', ['$WORKSPACE', 'a'], '/workspace/a'],
  ['PathDir', ['a/b/c.txt'], 'a/b'],
  ['PathDir', ['a'], ''],
  ['PathFile', ['a/b.txt'], 'b.txt'],
  ['PathExt', ['a/b.tar.gz'], '.gz'],
  ['PathExt', ['.npmrc'], ''],
  ['PathStem', ['a/b.txt'], 'b'],
  ['PathChangeExt', ['a/b.txt', '.md'], 'a/b.md'],
  ['GuidNew', [], /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
  ['GuidNewShort', [], /^[0-9a-f]{32}$/],
  ['RandomInt', ['1', '6'], /^[1-6]$/],
  ['RandomInt', ['5', '5'], '5'],
  ['TimeFormat', ['0'], '1970-01-01T00:00:00Z'],
  ['TimeFormat', ['86399', 'HH:mm:ss'], '23:59:59'],
  ['TimeParse', ['1970-01-02'], '86400'],
  ['TimeParse', ['02.01.1970 01:00', 'dd.MM.yyyy HH:mm'], '90000'],
  ['TimeParse', ['1970-01-01T01:00:00+01:00'], '0'],
  ['TimeAdd', ['100', '-40'], '60'],
  ['TimeDiff', ['160', '100'], '60'],
  ['VersionCompare', ['1.2.0', '1.10.0'], '-1'],
  ['VersionCompare', ['v1.0', '1.0.0'], '0'],
  ['VersionCompare', ['1.0.0', '1.0.0-rc.1'], '1'],
  ['VersionCompare', ['1.0.0-2', '1.0.0-10'], '-1'],
  ['VersionParse', ['v1.2.3-rc.1+5'], 'major: 1\nminor: 2\npatch: 3\nprerelease: rc.1\nbuild: 5'],
  ['HexEncode', ['hi'], '6869'],
  ['HexDecode', ['68 69'], 'hi'],
  ['BaseConvert', ['ff', '16', '10'], '255'],
  ['BaseConvert', ['-10', '2', '36'], '-2'],
  ['FormatBytes', ['1048576'], '1.00 MB'],
  ['FormatBytes', ['512'], '512 B'],
  ['FormatDuration', ['3661'], '1h 1m 1s'],
  ['FormatDuration', ['0'], '0s'],
  ['MathEval', ['2 + 3 * (4 - 1) % 5 / 2'], '4'],
  ['MathEval', ['-(1+1)*.5'], '-1'],
  ['MathEval', ['0.1+0.2'], '0.3'],
  ['Echo', ['a $GREETING $NOTHING'], 'a hi $NOTHING'],
  ['Sleep', ['0.1'], 'slept 0.1 s'],
  ['Assert', ['a', 'a'], 'ok'],
  ['OpenUrl', ['https://example.com/a'], 'https://example.com/a'],
];
const WORLD: readonly Case[] = [
  ['EnvGet', ['lang'], 'C.UTF-8'],
  ['EnvGet', ['GREETING'], 'hi'],
  ['EnvList', [], 'GREETING=hi\nLANG=C.UTF-8'],
  ['SysWhoAmI', [], 'agent'],
  ['SysPwd', [], '/workspace'],
  ['SysHostname', [], 'box'],
  ['SysUptime', [], '1h 1m 1s'],
  ['SysDate', [], '2026-01-02T03:04:05Z'],
  ['SysDateFormat', ['ddd dd MMM'], 'Fri 02 Jan'],
  ['SysTimestamp', [], '1767323045'],
  ['SysOsInfo', [], 'Linux 6.1 x64'],
  ['SysCpuCount', [], '4'],
  ['SysTempDir', [], '/tmp'],
  ['SysDiskUsage', [], 'disk  total 4.00 GB  used 1.00 GB  free 3.00 GB'],
  ['SysDirSize', ['src'], '9 bytes (9 B)'],
  ['SysMemory', [], 'total 2.00 GB  used 1.00 GB  free 1.00 GB'],
  ['SysProcessList', [], '1\tinit\n7\tSleeper'],
  ['SysDriveList', [], /^disk/],
  ['SysNetInfo', [], 'eth0: 10.0.0.2'],
  ['SysLogRead', ['script'], ''],
  ['SysLogSources', [], 'script\nprocesses'],
  ['SysServiceList', ['SLE'], 'Sleeper: running (7)'],
  ['SysServiceList', [], 'init: running (1)\nSleeper: running (7)'],
  ['SysServiceStatus', ['sleeper'], 'running'],
  ['ClipboardSet', ['hé'], "put 2 characters into the result's `clipboard`"],
  ['SysServiceStatus', ['nothing'], 'not found'],
  ['ProcessFind', ['SLEEP'], '7\tSleeper'],
  ['HttpGet', ['https://example.com/'], 'hello'],
  ['HttpPost', ['https://example.com/', '{}'], 'hello'],
  ['HttpPut', ['http://example.com/'], 'hello'],
  ['HttpDelete', ['https://example.com/'], 'hello'],
  [
    'NetPing',
    ['example.com', '2'],
    'TCP connections to example.com:443 (no ICMP)\nanswered: 2 of 2\nmin: 12.3 ms\naverage: 12.3 ms\nmax: 12.3 ms',
  ],
  ['NetDns', ['example.com'], '93.184.216.34'],
  [
    'NetTlsCert',
    ['example.com'],
    /^subject: CN=example\.com\nissuer: CN=Test\nvalid from: .*\nvalid to: .*\ndays left: 10\nfingerprint: AA:BB\nnames: DNS:example\.com\ntrusted: True$/,
  ],
  ['NetHttpStatus', ['https://example.com/'], '200'],
  ['NetTcpConnect', ['example.com', '8080'], 'connected in 12.3 ms'],
  ['HttpLatency', ['https://example.com/', '2'], /^answered: 2 of 2/],
  ['ProcRun', ['git', 'status'], ''],
  ['Mk8Blacklist', [], /^files.delete_whole \(regex, everywhere\)/],
  ['Mk8Vocab', ['configurations'], 'Debug\nRelease'],
  ['Mk8VocabList', [], /npm-scripts: /],
  ['Mk8FreeText', ['git'], /git.commit: git commit \[-a\] -m \{text\}/],
  ['Mk8FreeText', ['wc'], 'none'],
  ['Mk8Env', [], 'GREETING=hi'],
  ['Mk8Info', [], /sandbox: test/],
  ['Mk8Templates', [], /version.node: node --version/],
  ['Mk8Verbs', [], /FileRead \(1\)/],
  ['Mk8Skills', [], 'release: how to release'],
  ['Mk8Docs', [], /FileTemplate \[output path\]/],
];
const CASES = [...TEXT, ...JSON_CASES, ...FILES, ...VALUES, ...WORLD];

test.each(CASES.map((row, n) => [n, ...row] as const))('%i: %s %j', async (_, verb, args, expected) => {
  const { output, error } = await outcomeOf({ verb, args });
  expect(error).toBeNull();
  if (typeof expected === 'string') expect(output).toBe(expected);
  else expect(output).toMatch(expected);
});

test('every verb has a case with its result', () => {
  const elsewhere = [
    'FileTemplate',
    'FilePatch',
    'FileWriteMany',
    'FileCopyMany',
    'FileDeleteMany',
    'Fail',
    'ForEach',
    'If',
    'Include',
  ];
  expect(
    [...VERBS.keys()].filter((name) => !elsewhere.includes(name) && !CASES.some(([verb]) => verb === name)),
  ).toEqual([]);
});

test.each([
  ['FileRead', ['absent.txt'], 'there is no `absent.txt`'],
  ['FileRead', ['src'], '`src` is a directory, and no file'],
  ['FileDelete', ['src'], '`src` is a directory, and no file'],
  ['DirDelete', ['a.txt'], '`a.txt` is a file, and no directory'],
  ['FileWrite', ['src', 'x'], '`src` is a directory'],
  ['DirCreate', ['a.txt'], '`a.txt` is a file'],
  ['FileDiff', ['a.txt', 'absent'], 'there is no `absent`'],
  ['TextBase64Decode', ['a'], 'it is no base64'],
  ['TextUrlDecode', ['%ff'], 'it holds a `%` that begins no UTF-8'],
  ['HexDecode', ['abc'], 'it is no hex'],
  ['BaseConvert', ['9', '8', '10'], '`9` is no digit of base 8'],
  ['TextReplace', ['a', '', 'b'], 'the text to replace is empty'],
  ['TextSubstring', ['abc', '9'], 'the text has 3 characters, and none at 9'],
  ['TextPadLeft', ['a', '3', 'xy'], 'what fills up must be one character'],
  ['JsonGet', ['{}', 'toString'], 'there is no `toString` in it'],
  ['JsonQuery', ['{}', '$['], expect.stringContaining("the query can't be read")],
  ['JsonQuery', ['{}', '/a'], 'the pointer leads to nothing, or is none'],
  ['JsonParse', [`${'['.repeat(300)}${']'.repeat(300)}`], 'it is nested more than 200 deep'],
  ['JsonKeys', ['[1]'], 'it must be an object'],
  ['MathEval', ['1/0'], 'it divides by 0'],
  ['MathEval', ['process.exit()'], 'there is no number or sign at place 1'],
  ['MathEval', ['(1'], 'a parenthesis is not closed'],
  ['MathEval', ['('.repeat(500)], 'it is nested more than 100 deep'],
  ['MathEval', ['1 2'], '`2` has no place there'],
  ['MathEval', [''], 'a number is missing at the end'],
  ['TimeParse', ['2023-02-30'], 'it is no date of ISO 8601'],
  ['TimeParse', ['x', 'yyyy'], 'it is no date of that format'],
  ['TimeFormat', ['399999999999'], 'the time is beyond the years 0 to 9999'],
  ['VersionParse', ['x.y'], '`x.y` is no version'],
  ['Assert', ['a', 'b', 'not equal'], 'not equal: expected `b`, got `a`'],
  ['ArchiveExtract', ['a.txt', 'out'], 'it is no zip, tar or tar.gz'],
] as const)('%s %j names the fault', async (verb, args, message) => {
  expect((await outcomeOf({ verb, args: [...args] })).error).toEqual(message);
});

describe('arguments that cannot work', () => {
  const rows = [
    ['RandomInt', ['6', '1'], 1, 'there is no number from 6 to 1'],
    ['EnvGet', ['AWS_SECRET_ACCESS_KEY'], 0, '`AWS_SECRET_ACCESS_KEY` may not be read; EnvList says which may'],
    ['EnvGet', ['deploy_token'], 0, '`deploy_token` may not be read; EnvList says which may'],
    ['OpenUrl', ['http://example.com/'], 0, 'the URL must be one of https'],
    ['Mk8Vocab', ['x'], 0, 'there is no list `x`; Mk8VocabList names them'],
  ] as const;

  test.each(rows)('of %s, %j, are a problem of the script where they are literal', (verb, args, place, message) => {
    expect(problemsOfOne({ verb, args: [...args] })).toEqual([`/operations/0/args/${place}: ${message}`]);
  });

  test.each(rows)('of %s, %j, fail its step where a capture holds one', async (verb, [first, ...rest], _, message) => {
    const { steps } = await run({
      operations: [
        { verb: 'Echo', args: [first], captureAs: 'FIRST' },
        { verb, args: ['$FIRST', ...rest] },
      ],
    });
    expect(steps.map(({ status, error }) => [status, error])).toEqual([
      ['ok', null],
      ['failed', message],
    ]);
  });

  test('are reported once, by the kind of the argument before the verb', () => {
    expect(problemsOfOne({ verb: 'OpenUrl', args: ['ftp://example.com/'] })).toHaveLength(1);
    expect(problemsOfOne({ verb: 'SysLogRead', args: ['syslog'] })).toEqual([
      '/operations/0/args/0: `source` must be one of script, processes',
    ]);
  });
});

test('a missing fact of the machine is `unavailable`, and no failure', async () => {
  const host = hostWithFiles();
  host.system.isSilent = true;
  for (const [verb, args] of [
    ['SysHostname', []],
    ['SysUptime', []],
    ['SysOsInfo', []],
    ['SysCpuCount', []],
    ['SysTempDir', []],
    ['SysDiskUsage', []],
    ['SysMemory', []],
    ['SysProcessList', []],
    ['SysDriveList', []],
    ['SysNetInfo', []],
    ['SysServiceList', []],
    ['SysServiceStatus', ['x']],
    ['ProcessFind', ['x']],
  ] as const) {
    expect([verb, await outcomeOf({ verb, args }, host)]).toEqual([verb, { output: 'unavailable', error: null }]);
  }
});

test('a JSONPath that multiplies its descents is stopped', async () => {
  const deep = JSON.stringify(Array.from({ length: 200 }, () => Array.from({ length: 20 }, (_, n) => n)));
  expect(
    (await outcomeOf({ verb: 'JsonQuery', args: [deep, '$..[?count($..[?count($..*) > 0]) > 0]'] })).error,
  ).toMatch(/looks at more than 500000 values/);
});

test("the URL of the sandbox's list can be cloned, and no other", async () => {
  const host = hostWithFiles();
  expect((await outcomeOf({ verb: 'ProcRun', args: ['git', 'clone', REPOSITORY_URL, 'copy'] }, host)).error).toBeNull();
  expect(host.process.commands.map(({ argv }) => argv.slice(-2))).toEqual([[REPOSITORY_URL, '/workspace/copy']]);
});
