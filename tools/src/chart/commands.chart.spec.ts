// SPDX-License-Identifier: Apache-2.0
// The objects and selectors of commands in operators' pages, compared with the chart and the set-up's keys.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROCESSES } from '@writ/contract';
import { checkout } from '../setup.ts';
import { describeChart, EXAMPLES, examplePods, objectOf, objectsOf, SMALL } from './chart.contract.ts';
import { readKeySets } from './key-sets.ts';
import { containersOf, restrictedProblems, type PodSpec } from './pods.ts';
import { parseObjects, RELEASE, type KubeObject, type Labels } from './render.ts';

const FOLDER = join(checkout, 'docs/operations');
const read = (page: string): string => readFileSync(join(FOLDER, page), 'utf8');

interface Shown {
  readonly page: string;
  readonly command: string;
}

/** Every kubectl command, each on one line, in a block or within a sentence. */
const COMMANDS: readonly Shown[] = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((page) => page.endsWith('.md'))
  .flatMap((page) => {
    const text = read(page)
      .replaceAll(/\\\n\s*/g, '')
      .replaceAll(/`[^`\n]+\n[^`\n]+`/g, (code) => code.replaceAll(/\n\s*/g, ' '));
    return [...text.matchAll(/kubectl [^`\n]*/g)].map(([command]) => ({ page, command }));
  });

const SETS = await readKeySets();
/** Pages call the release `writ`; the specs use another name, which is the prefix of its objects. */
const here = (name: string): string => `${RELEASE}-${name}`;
const KINDS: Readonly<Record<string, string>> = {
  deployment: 'Deployment',
  statefulset: 'StatefulSet',
  service: 'Service',
  cronjob: 'CronJob',
  job: 'Job',
  scaledobject: 'ScaledObject',
};
const NAMED = /\b(deployment|statefulset|service|cronjob|job|scaledobject|secret|configmap)[ /](writ-[a-z-]+)/g;
const namedIn = (command: string): { kind: string; name: string }[] =>
  [...command.matchAll(NAMED)].map(([, kind = '', name = '']) => ({ kind, name }));

/** The selectors of the pages, and the components whose pods they match with everything bundled. */
const SELECTED: Readonly<Record<string, readonly string[]>> = {
  'app.kubernetes.io/instance=writ,app.kubernetes.io/component in (orchestrator,executor,kernel,ledger)': PROCESSES,
  'app.kubernetes.io/instance=writ,app.kubernetes.io/component=ledger': ['ledger'],
  'app.kubernetes.io/instance=writ,app.kubernetes.io/component=executor': ['executor'],
};

const isSelected = (selector: string, labels: Labels): boolean =>
  selector.split(/,(?![^(]*\))/).every((requirement) => {
    const [, name = '', one, several] = /^(\S+?)(?:=(\S+)| in \(([^)]+)\))$/.exec(requirement) ?? [];
    const values = (one ?? several ?? '').split(',').map((value) => (name.endsWith('/instance') ? RELEASE : value));
    return values.includes(labels[name] ?? '');
  });

/** The pod that reads a ledger's volume. */
const reader = (): PodSpec => {
  const [, block = ''] = /^```yaml\n(apiVersion: v1\nkind: Pod[\s\S]*?)^```$/m.exec(read('backup.md')) ?? [];
  const [pod] = parseObjects(block);
  return pod?.['spec'] as PodSpec;
};

describe('keys in pages for operators', () => {
  const precious = SETS.filter(
    ({ name, entries }) => name === 'platform-key' || entries.some(({ lost }) => lost !== undefined),
  )
    .map(({ name }) => name)
    .sort();

  test("every Secret that can't be made again is in the list of those to copy", () => {
    const [, row = ''] = /^- \*\*Secrets ((?:[^*]|\n)+)\*\*/m.exec(read('backup.md')) ?? [];
    expect([...row.matchAll(/`RELEASE-([a-z-]+)`/g)].map(([, name]) => name).sort()).toEqual(precious);
    const [, table = ''] = /\| Secret \| holds \|.*\n\|[-| ]+\n((?:\|.*\n)+)/.exec(read('install.md')) ?? [];
    expect([...table.matchAll(/^\| `writ-([a-z-]+)`/gm)].map(([, name]) => name).sort()).toEqual(precious);
  });

  test('the entry of public keys that a restore fetches is made by the set-up', () => {
    const [, entry = ''] =
      /configmap\/writ-public-keys -o jsonpath='\{\.data\.([^}]+)\}'/.exec(read('backup.md')) ?? [];
    const { entries } = SETS.find(({ name }) => name === 'public-keys')!;
    expect(entries.map(({ name }) => name)).toContain(entry.replaceAll('\\', ''));
  });
});

describe("the pod that reads a ledger's volume", () => {
  test('passes PodSecurity `restricted` and can write nothing', () => {
    const spec = reader();
    expect(restrictedProblems({ spec })).toEqual([]);
    for (const container of spec.containers) {
      expect(container.securityContext?.readOnlyRootFilesystem).toBe(true);
      expect(container.volumeMounts?.filter(({ readOnly }) => readOnly !== true)).toEqual([]);
    }
  });

  test('uses a program of the image that prints the file unchanged', () => {
    const [, program = '', script = ''] =
      /kubectl -n writ exec "read-\$claim" -- (\S+) -e \\\n +"([^"]+)" > /.exec(read('backup.md')) ?? [];
    expect(readFileSync(join(checkout, 'docker/Dockerfile'), 'utf8')).toContain(`ENTRYPOINT ["${program}"`);
    const folder = mkdtempSync(join(tmpdir(), 'writ-memory-'));
    try {
      const bytes = '{"log":"a"}\n'.repeat(100_000);
      writeFileSync(join(folder, 'signed-roots'), bytes);
      const { stdout } = spawnSync(process.execPath, ['-e', script.replace('/memory', folder)], {
        encoding: 'utf8',
        maxBuffer: 2 * bytes.length,
      });
      expect(stdout === bytes).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describeChart('commands in pages for operators', () => {
  const objects = (): KubeObject[] => EXAMPLES.flatMap((example) => objectsOf(example));

  test('there are commands to check', () => {
    expect(COMMANDS.length).toBeGreaterThan(20);
  });

  test('every object that a command names is one of the chart or of its keys', () => {
    const rendered = new Set(objects().map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    const made = new Set(SETS.map(({ name }) => `writ-${name}`));
    const unknown = COMMANDS.flatMap(({ page, command }) =>
      namedIn(command)
        .filter(({ kind, name }) =>
          KINDS[kind] === undefined ? !made.has(name) : !rendered.has(`${KINDS[kind]} ${here(name)}`),
        )
        .map(({ kind, name }) => `${page}: ${kind}/${name}`),
    );
    expect(unknown).toEqual([]);
  });

  test('every selector matches the expected pods, and never the bundled Postgres and NATS', () => {
    const selectors = COMMANDS.flatMap(({ page, command }) =>
      [...command.matchAll(/ -l (?:'([^']+)'|(\S+))/g)].map(([, quoted, bare = '']) => ({
        page,
        selector: quoted ?? bare,
      })),
    );
    expect(selectors.length).toBeGreaterThan(2);
    for (const { page, selector } of selectors) {
      const chosen = examplePods(SMALL).filter(({ labels }) => isSelected(selector, labels));
      expect({ page, selector, chosen: [...new Set(chosen.map(({ component }) => component))].sort() }).toEqual({
        page,
        selector,
        chosen: [...(SELECTED[selector] ?? [])].sort(),
      });
    }
  });

  test('commands that stop or start everything name exactly the four workloads by their kinds', () => {
    const everything = [
      'deployment/writ-executor',
      'deployment/writ-kernel',
      'deployment/writ-orchestrator',
      'statefulset/writ-ledger',
    ];
    const scaled = COMMANDS.filter(({ command }) => / scale /.test(command));
    expect(scaled.filter(({ command }) => /--all\b| -l /.test(command))).toEqual([]);
    const pages = [...new Set(scaled.map(({ page }) => page))].sort();
    expect(pages).toEqual(['backup.md', 'upgrade.md']);
    for (const page of pages)
      for (const replicas of page === 'backup.md' ? ['0', '2'] : ['0']) {
        const named = scaled
          .filter((each) => each.page === page && each.command.includes(`--replicas=${replicas}`))
          .flatMap(({ command }) => namedIn(command).map(({ kind, name }) => `${kind}/${name}`));
        expect({ page, replicas, named: named.sort() }).toEqual({ page, replicas, named: everything });
      }
  });

  test("the reader mounts the ledgers' claims, and reads their memory file", () => {
    const { volumeClaimTemplates } = objectOf(objectsOf(SMALL), 'StatefulSet', here('writ-ledger'))['spec'] as {
      volumeClaimTemplates: readonly { metadata: { labels: Labels } }[];
    };
    const [, selector = ''] =
      /get persistentvolumeclaim .*-l '([^']+)'/.exec(
        COMMANDS.find(({ command }) => command.includes('get persistentvolumeclaim'))?.command ?? '',
      ) ?? [];
    expect(volumeClaimTemplates.map(({ metadata }) => isSelected(selector, metadata.labels))).toEqual([true]);
    const ledger = containersOf(examplePods(SMALL).find(({ component }) => component === 'ledger')!)[0]!;
    const path = ledger.env!.find(({ name }) => name === 'WRIT_LEDGER_MEMORY_FILE')!.value!;
    const { mountPath } = ledger.volumeMounts!.find(({ name }) => name === 'memory')!;
    const [mount] = reader().containers[0]!.volumeMounts!;
    expect(read('backup.md')).toContain(`readFileSync('${path.replace(mountPath, mount!.mountPath)}')`);
  });
});
