// SPDX-License-Identifier: Apache-2.0
// Compares two texts of a pipeline line by line. Any line that is not known to be harmless counts, however YAML would
// parse it, so that no spelling evades the rules.

/** A line that may start something, or restrict what starts. */
interface PipelineLine {
  /** without its comment; a step is the same at another version */
  readonly text: string;
  /** how many lines it is nested under */
  readonly depth: number;
  /** whether it may be removed: a usual step, or the parent key of one */
  readonly mayGo: boolean;
}

/** Lines of a text that count on one side only. */
export interface PipelineChanges {
  readonly added: readonly string[];
  /** lines that may have restricted what starts */
  readonly removed: readonly string[];
}

/**
 * The lines that a pipeline gained and lost. Where both have the same lines, one at another position counts as added: a
 * condition may apply to another job. A pipeline without any counted line runs nothing, so it loses nothing. Takes time
 * in proportion to both.
 */
export function pipelineChanges(before: string, after: string): PipelineChanges {
  const [old, now] = [countingLines(before), countingLines(after)];
  const had = new Set(old.map(({ text }) => text));
  const added = now.filter(({ text }) => !had.has(text)).map(({ text }) => text);
  const left = new Map<string, number>();
  for (const { text } of now) left.set(text, (left.get(text) ?? 0) + 1);
  const removed: string[] = [];
  for (const { text, mayGo } of old) {
    const count = left.get(text) ?? 0;
    if (count > 0) left.set(text, count - 1);
    else if (!mayGo && now.length > 0) removed.push(text);
  }
  if (added.length > 0 || removed.length > 0) return { added, removed };
  const moved = firstMoved(old, now);
  return { added: moved === null ? [] : [moved], removed };
}

/**
 * The first line that does not follow the same lines, at the same depth, as before; null where lines were only removed.
 */
function firstMoved(old: readonly PipelineLine[], now: readonly PipelineLine[]): string | null {
  let at = 0;
  for (const { text, depth } of now) {
    while (at < old.length && (old[at]?.text !== text || old[at]?.depth !== depth)) at += 1;
    if (at === old.length) return text;
    at += 1;
  }
  return null;
}

/** Lines that may start something, without harmless ones, as `pipelineChanges` distinguishes them. */
export const startingLines = (text: string): ReadonlySet<string> =>
  new Set(countingLines(text).map((line) => line.text));

interface Above {
  readonly indent: number;
  readonly isItem: boolean;
  readonly text: string;
}

function countingLines(text: string): readonly PipelineLine[] {
  const found: PipelineLine[] = [];
  const above: Above[] = [];
  for (const raw of text.split(/[\n\r]/)) {
    const line = raw.trim();
    if (line === '' || isCommentLine(line)) continue;
    const indent = raw.length - raw.trimStart().length;
    const item = /^- +/.exec(line)?.[0] ?? '';
    while (isDone(above.at(-1), indent, item !== '')) above.pop();
    const [parent, depth] = [above.at(-1), above.length];
    if (item !== '') above.push({ indent, isItem: true, text: '-' });
    above.push({ indent: indent + item.length, isItem: false, text: line.slice(item.length) });
    if (line.length > LINE_CHARS_MAX) found.push({ text: line, depth, mayGo: false });
    else if (isRestricting(parent) || !isHarmless(line))
      found.push({ text: comparable(line), depth, mayGo: !isRestricting(parent) && mayGo(line) });
  }
  return found;
}

/** An item of a list may be indented as little as the key above the list. */
const isDone = (last: Above | undefined, indent: number, isItem: boolean): boolean =>
  last !== undefined && (last.indent > indent || (last.indent === indent && (last.isItem || !isItem)));

/** A `#` before a letter may be a private name of JavaScript; one before `!` names an interpreter. */
export const isCommentLine = (line: string): boolean => /^#(?:[\s#]|$)/.test(line);

/**
 * Keys whose values restrict where and when something runs. A name below one is that of an environment, and a version
 * that of a branch.
 */
const RESTRICTING =
  /environment|branch|tag|only|except|exclude|include|ref|rule|when|need|filter|approv|protect|permission/i;
const isRestricting = (parent: Above | undefined): boolean =>
  parent !== undefined && RESTRICTING.test(/^["']?[\w-]{1,60}["']? *:$/.exec(parent.text)?.[0] ?? '');

/**
 * Keys of a pipeline whose values start nothing, and those of tools that fix versions. Values of other keys may start
 * something.
 */
const HARMLESS = new RegExp(
  '^(?:- +)?(?:name|run-name|display-?name|description|timeout(?:-minutes|-in-minutes)?|fail-fast|max-parallel|cron|rev|min_version' +
    '|minimum_pre_commit_version|[\\w-]*-version(?:-file)?|version|retention-days|fetch-depth|cache|key) *: *' +
    '(?:[^&*!{}[\\]|<>;()`"\'$\\\\]*|"[^"\\\\${}`]*"|\'[^\'${}]*\'|\\[[\\w\\s.,\'"-]*\\])$',
  'i',
);
/** A longer line counts without parsing: the patterns may take quadratic time. */
const LINE_CHARS_MAX = 500;
/** A list of versions, as in a matrix. */
const VERSIONS = /^- +['"]?[\d.x]+['"]?$/;
const isHarmless = (line: string): boolean => HARMLESS.test(line) || VERSIONS.test(line);
/** A third-party step or an image, with its version. */
const VERSIONED = /^(- +)?(uses|image|repo) *: *(['"]?[\w./-]+)(?:@|:)[\w.-]+(['"]?)(?: +#.*)?$/;

function comparable(line: string): string {
  const step = VERSIONED.exec(line);
  return step === null ? withoutComment(line) : `${step[2] ?? ''}: ${step[3] ?? ''}`;
}

/** A comment at the end has no meaning. */
function withoutComment(line: string): string {
  const from = line.indexOf(' #');
  return from < 0 || /["'`]/.test(line) ? line : line.slice(0, from).trimEnd();
}

/**
 * Steps whose removal takes away no check: fetching, preparing, building and testing. Any other step may have been a
 * check.
 */
const USUAL_STEP =
  /^(?:- +)?uses *: *['"]?(?:[\w.-]+\/)+(?:checkout|cache|setup-[\w-]+|action-setup|(?:up|down)load-artifact|codecov-action|rust-toolchain|rust-cache)(?:@|$)/;
const USUAL_COMMAND = new RegExp(
  '^(?:- +)?(?:(?:run|script|command|sh|bash) *:? *)?[\'"]?(?:npm|npx|pnpm|yarn|bun|node|deno|make|cargo|go|python3?|pip3?|uv|poetry|pytest|tox' +
    '|mvn|gradle|\\./gradlew|\\./mvnw|dotnet|bundle|rake|composer|eslint|prettier|tsc|jest|vitest|mypy|ruff|black|echo)(?: +[\\w./:=@,+-]+)*[\'"]?$',
);
const CHECKS = /approv|protect|permi|guard|verif|sign|auth|deny|forbid|allow|gate|manual|wait|environment/i;
const CONTAINER = /^(?:with|env|strategy|matrix|script|variables) *:$/;
const mayGo = (line: string): boolean =>
  CONTAINER.test(line) || ((USUAL_STEP.test(line) || USUAL_COMMAND.test(withoutComment(line))) && !CHECKS.test(line));
