import { expect, it } from 'vitest';
import { deny, Ending, faultOf, finish } from '../../../src/dialects/kit/ending.ts';
import { collectingSink } from '../../support/collecting-sink.ts';

it('knows the code of a fault by its words, unless the wire says it', () => {
  expect(faultOf('429 Too Many Requests')).toEqual({ code: 'rate_limit', message: '429 Too Many Requests' });
  expect(faultOf('429 Too Many Requests', 'quota')).toEqual({ code: 'quota', message: '429 Too Many Requests' });
});

it('finishes well, badly or cancelled', () => {
  const sink = collectingSink();
  finish(sink, undefined, { raw_status: 'success' });
  finish(sink, faultOf('overloaded'), { duration_ms: 5 });
  finish(sink, { code: 'cancelled', message: 'stop' }, {});
  finish(sink, { code: 'turn_limit' }, {});
  expect(sink.drafts).toStrictEqual([
    { type: 'agent.finished', status: 'ok', raw_status: 'success' },
    { type: 'agent.finished', status: 'failed', code: 'server', message: 'overloaded', duration_ms: 5 },
    { type: 'agent.finished', status: 'cancelled', message: 'stop' },
    { type: 'agent.finished', status: 'failed', code: 'turn_limit' },
  ]);
});

it('does not believe a good last line after an error from which the agent did not recover', () => {
  const sink = collectingSink();
  const ending = new Ending(sink, 'provider');
  ending.fail(faultOf('overloaded'), { http_status: 529 });
  expect(ending.hasFailed).toBe(true);
  ending.read(undefined, { raw_status: 'complete' });
  expect(sink.drafts).toStrictEqual([
    { type: 'error', scope: 'provider', code: 'server', message: 'overloaded', fatal: true, http_status: 529 },
    { type: 'agent.finished', status: 'failed', code: 'server', message: 'overloaded', raw_status: 'complete' },
  ]);
});

it('believes the last line once the agent has gone on after its error', () => {
  const sink = collectingSink();
  const ending = new Ending(sink, 'agent');
  ending.fail(faultOf('overloaded'));
  ending.recover();
  expect(ending.hasFailed).toBe(false);
  ending.read(undefined, {});
  ending.read({ code: 'unknown' }, {});
  expect(sink.drafts.slice(1)).toStrictEqual([
    { type: 'agent.finished', status: 'ok' },
    { type: 'agent.finished', status: 'failed', code: 'unknown' },
  ]);
});

it('tells what was refused as a question with its answer', () => {
  const sink = collectingSink();
  deny(sink, 'd1', 'rm -rf /');
  expect(sink.drafts).toStrictEqual([
    { type: 'permission.requested', permission_id: 'd1', what: 'rm -rf /' },
    { type: 'permission.resolved', permission_id: 'd1', decision: 'denied', by: 'rule' },
  ]);
});
