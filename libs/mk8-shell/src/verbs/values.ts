// SPDX-License-Identifier: Apache-2.0
import { int, number, optional, path, text } from '../registry/arguments.ts';
import { verbsOf, type Verb } from '../registry/verb.ts';
import { StepError } from '../run/step-error.ts';
import { extractArchive } from './archive.ts';
import { evaluate } from './arithmetic.ts';
import { convertBase, guid, randomInteger } from './numbers.ts';
import { formatBytes, formatDuration } from './formatting.ts';
import { joined, nameOf, parentOf, extensionOf } from './path-strings.ts';
import { utf8Of } from './text.ts';
import { DEFAULT_FORMAT, formatTime, parseTime } from './time-format.ts';
import { compareVersions, describeVersion } from './versions.ts';

const paths = verbsOf('paths');
const identity = verbsOf('identity');
const time = verbsOf('time');
const versions = verbsOf('versions');
const encoding = verbsOf('encoding');
const formatting = verbsOf('formatting');
/** Some years more than the range of dates, in either direction. */
const SECONDS = 400_000_000_000;
const seconds = (name: string) => int(name, -SECONDS, SECONDS);

function unhex(source: string): string {
  const bare = source.replaceAll(/[\s:]/g, '');
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(bare)) throw new StepError('it is no hex');
  return utf8Of(Buffer.from(bare, 'hex'), 'it decodes to no text of UTF-8');
}

export const VALUE_VERBS: readonly Verb[] = [
  paths(
    'PathJoin',
    'none',
    'parts with one slash between them',
    [text('part'), text('part')],
    ['$WORKSPACE', 'a', 'b.txt'],
    (parts) => joined(parts),
    { most: 16 },
  ),
  paths('PathDir', 'none', 'what stands before the last name', [text('path')], ['a/b/c.txt'], ([whole = '']) =>
    parentOf(whole),
  ),
  paths('PathFile', 'none', 'the last name', [text('path')], ['a/b/c.txt'], ([whole = '']) => nameOf(whole)),
  paths(
    'PathExt',
    'none',
    'the extension of the last name, with its dot',
    [text('path')],
    ['a/b/c.txt'],
    ([whole = '']) => extensionOf(whole),
  ),
  paths('PathStem', 'none', 'the last name without its extension', [text('path')], ['a/b/c.txt'], ([whole = '']) =>
    nameOf(whole).slice(0, nameOf(whole).length - extensionOf(whole).length),
  ),
  paths(
    'PathChangeExt',
    'none',
    'the path with another extension',
    [text('path'), text('extension')],
    ['a/c.txt', 'md'],
    ([whole = '', extension = '']) => {
      const bare = whole.slice(0, whole.length - extensionOf(whole).length);
      return extension === '' ? bare : `${bare}.${extension.replace(/^\./, '')}`;
    },
  ),
  identity('GuidNew', 'none', 'a new GUID', [], [], (_, { random }) => guid(random.bytes(16))),
  identity('GuidNewShort', 'none', 'a new GUID without dashes', [], [], (_, { random }) =>
    guid(random.bytes(16)).replaceAll('-', ''),
  ),
  identity(
    'RandomInt',
    'none',
    'a whole number, both bounds included',
    [int('min', 0, 1_000_000), int('max', 0, 1_000_000)],
    ['1', '6'],
    ([min = '', max = ''], { random }) =>
      String(randomInteger(Number(min), Number(max), (count) => random.bytes(count))),
    {
      check: ([min = '', max = '']) =>
        Number(min) > Number(max) ? { place: 1, message: `there is no number from ${min} to ${max}` } : null,
    },
  ),
  time(
    'TimeFormat',
    'none',
    'seconds since 1970 as a date in UTC',
    [seconds('seconds'), optional(text('format'))],
    ['0', 'yyyy-MM-dd HH:mm'],
    ([at = '', format = DEFAULT_FORMAT]) => formatTime(Number(at) * 1000, format),
  ),
  time(
    'TimeParse',
    'none',
    'a date as seconds since 1970',
    [text('date'), optional(text('format'))],
    ['1970-01-02T00:00:00Z'],
    ([date = '', format]) => String(parseTime(date, format)),
  ),
  time(
    'TimeAdd',
    'none',
    'seconds since 1970, so many later',
    [seconds('seconds'), seconds('seconds to add')],
    ['100', '-40'],
    ([at = '', more = '']) => String(Number(at) + Number(more)),
  ),
  time(
    'TimeDiff',
    'none',
    'seconds between two times',
    [seconds('seconds 1'), seconds('seconds 2')],
    ['100', '160'],
    ([one = '', two = '']) => String(Math.abs(Number(one) - Number(two))),
  ),
  versions(
    'VersionCompare',
    'none',
    '-1, 0 or 1: whether the first is older, the same or newer',
    [text('version 1'), text('version 2')],
    ['1.2.0', '1.10.0'],
    ([one = '', two = '']) => String(compareVersions(one, two)),
  ),
  versions(
    'VersionParse',
    'none',
    'the parts of a version, one a line',
    [text('version')],
    ['v1.2.3-rc.1+5'],
    ([source = '']) => describeVersion(source),
  ),
  encoding('HexEncode', 'none', 'a text in lower hex', [text('input')], ['hi'], ([source = '']) =>
    Buffer.from(source, 'utf8').toString('hex'),
  ),
  encoding('HexDecode', 'none', 'a text out of hex', [text('input')], ['6869'], ([source = '']) => unhex(source)),
  encoding(
    'BaseConvert',
    'none',
    'a whole number in another base',
    [text('value'), int('from', 2, 36), int('to', 2, 36)],
    ['ff', '16', '10'],
    ([value = '', from = '', to = '']) => convertBase(value, Number(from), Number(to)),
  ),
  formatting(
    'FormatBytes',
    'none',
    'bytes with a unit',
    [int('bytes', -1_000_000_000_000_000, 1_000_000_000_000_000)],
    ['1048576'],
    ([bytes = '']) => formatBytes(Number(bytes)),
  ),
  formatting(
    'FormatDuration',
    'none',
    'seconds as days, hours, minutes and seconds',
    [number('seconds', -SECONDS, SECONDS)],
    ['3661'],
    ([whole = '']) => formatDuration(Number(whole)),
  ),
  verbsOf('math')(
    'MathEval',
    'none',
    'the value of an expression of `+ - * / %` and parentheses',
    [text('expression')],
    ['2 * (3 + 4)'],
    ([expression = '']) => String(evaluate(expression)),
  ),
  verbsOf('archives')(
    'ArchiveExtract',
    'writes',
    'unpacks a zip, tar or tar.gz, 256 MB at most; a bad entry stops it before anything is written',
    [path('archive'), path('target', 'write')],
    ['$WORKSPACE/a.zip', '$WORKSPACE/out'],
    ([archive = '', target = ''], { files }) => extractArchive(archive, target, files),
  ),
];
