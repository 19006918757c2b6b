// SPDX-License-Identifier: Apache-2.0
import { argumentFaults, definitionForDigest, FIXED_TOOLS, TOOLS } from './registry.ts';

const tool = (id: string) => TOOLS.get(id)!;

describe('the tools', () => {
  it('are these', () => {
    expect([...TOOLS.keys()]).toEqual([
      'fs.read',
      'fs.write',
      'fs.edit',
      'fs.edit_files',
      'fs.list',
      'fs.search',
      'shell.run',
      'shell.session',
      'shell.dangerous',
      'mk8.run',
      'net.egress',
      'web.fetch',
      'value.get',
      'task.create',
      'task.edit',
      'task.list',
      'skill.read',
      'agent.spawn',
      'web.search',
      'container.create',
      'container.access',
      'calendar.find',
      'email.find',
      'email.draft',
      'agent.describe',
      'agent.manage',
      'store.register',
      'vecdb.query',
      'vecdb.upsert',
      'vecdb.delete',
      'audio.transcribe',
    ]);
  });

  it('report every invalid argument with its position', () => {
    expect(argumentFaults(tool('fs.read'), { path: 'a', limit: 5 })).toEqual([]);
    const faults = argumentFaults(tool('fs.edit'), { path: 7, edits: [{ find: '' }], extra: 1 });
    expect(faults.map((f) => f.pointer)).toEqual(
      expect.arrayContaining(['/path', '/edits/0', '/edits/0/find', '/extra']),
    );
  });

  it('of a session accept one request at a time', () => {
    expect(argumentFaults(tool('shell.session'), {})).toEqual([]);
    expect(argumentFaults(tool('shell.session'), { command: 'ls', cols: 80, rows: 24 })).toEqual([]);
    expect(argumentFaults(tool('shell.session'), { command: 'ls', input: 'x' })).toMatchObject([{ pointer: '/input' }]);
    expect(argumentFaults(tool('shell.session'), { ctrl: 'c', close: true })).toMatchObject([{ pointer: '/close' }]);
    expect(argumentFaults(tool('shell.session'), { cols: 80 })).toMatchObject([{ pointer: '/cols' }]);
  });

  it('close their parameters: an unknown argument is refused', () => {
    for (const one of TOOLS.values()) expect(argumentFaults(one, { no_such_argument: 1 })).not.toEqual([]);
  });

  it('name the resources in the arguments; only a read-only tool has none for writing', () => {
    expect(
      tool('fs.edit')
        .resources({ path: 'a' })
        .map((r) => r.access),
    ).toEqual(['write', 'read']);
    expect(
      tool('fs.edit_files')
        .resources({ files: [{ path: 'a' }, { path: 'b' }] })
        .map(({ access, path }) => `${access} ${path}`),
    ).toEqual(['write a', 'read a', 'write b', 'read b']);
    expect(tool('fs.list').resources({})).toEqual([{ kind: 'fs', access: 'read', path: '' }]);
    for (const one of TOOLS.values()) {
      if (!one.mutating) expect(one.resources({ path: 'a' }).some((r) => r.access === 'write')).toBe(false);
    }
  });

  it('that nothing of a tenant is bound to have one definition, and no others', () => {
    for (const one of TOOLS.values()) {
      const isBound = one.targets !== undefined || ['mk8.run', 'shell.dangerous'].includes(one.tool_id);
      expect(FIXED_TOOLS.includes(one)).toBe(!isBound);
    }
    expect(FIXED_TOOLS.map(({ tool_id }) => tool_id)).toContain('fs.write');
  });

  it('are plain JSON for their digest', () => {
    for (const one of TOOLS.values()) {
      const plain = definitionForDigest(one);
      expect(JSON.parse(JSON.stringify(plain))).toEqual(plain);
    }
  });
});
