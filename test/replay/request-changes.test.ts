import { describe, expect, it } from 'vitest';
import { changesIn } from '../../src/replay/request-changes.ts';

const tool = (name: string, description: string): object => ({ type: 'function', name, description, parameters: {} });
const request = (more: object): never =>
  ({ model: 'm', instructions: 'Be brief.', tools: [tool('shell', 'Runs a command')], ...more }) as never;

describe('how two requests differ', () => {
  it('is nothing for equal ones', () => {
    expect(changesIn(request({}), request({}))).toEqual([]);
  });

  it('tells of instructions by their lines', () => {
    const changes = changesIn(request({}), request({ instructions: 'Be brief.\nAsk first.' }));
    expect(changes).toMatchObject([{ area: 'system', change: 'changed', now: 'Ask first.' }]);
  });

  it('tells of tools by their names', () => {
    const tools = [tool('shell', 'Runs one command'), tool('apply_patch', 'Edits files')];
    const changes = changesIn(request({}), request({ tools }));
    expect(changes).toMatchObject([
      { what: 'tool shell', change: 'changed' },
      { what: 'tool apply_patch', change: 'added' },
    ]);
    expect(changesIn(request({ tools }), request({ tools: [] })).map(({ what, change }) => [what, change])).toEqual([
      ['tool shell', 'removed'],
      ['tool apply_patch', 'removed'],
    ]);
  });
});
