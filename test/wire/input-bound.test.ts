import { describe, expect, it } from 'vitest';
import { InputBound } from '../../src/wire/input-bound.ts';

const body = (messages: readonly unknown[], more: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ model: 'a-model', messages, system: 'You help. '.repeat(500), ...more }));
const first = { role: 'user', content: 'go' };
const answer = { role: 'assistant', content: 'Done.' };
const next = { role: 'user', content: 'and now this' };
const picture = { role: 'user', content: [{ type: 'image', source: { data: 'aaaa' } }] };
const around = 16;

describe('the most input tokens of a request', () => {
  it('are its bytes, as long as nothing else is known', () => {
    expect(new InputBound().most(body([first]))).toBe(body([first]).length);
  });

  it('are those of an earlier one, and the bytes of what is new, wherever that stands', () => {
    const bound = new InputBound();
    bound.learn(body([first]), 1200);
    const added = body([first, answer, next]).length - body([first]).length;
    expect(bound.most(body([first, answer, next]))).toBe(1200 + added + around);
    expect(bound.most(body([first]))).toBe(1200 + around);
  });

  it('are taken from the conversation that it goes on with', () => {
    const bound = new InputBound();
    bound.learn(body([first]), 1200);
    bound.learn(body([{ role: 'user', content: 'another story' }]), 5000);
    expect(bound.most(body([first, answer]))).toBeLessThan(1300);
  });

  it('are more than its bytes where a provider was seen to add to them', () => {
    const bound = new InputBound();
    const small = Buffer.from('{"model":"m","input":"go"}');
    bound.learn(small, small.length + 700);
    const other = Buffer.from('{"input":"something else","model":"n"}');
    expect(bound.most(other)).toBe(other.length + 700);
  });

  it('are unknown with a picture, until that has been counted', () => {
    const bound = new InputBound();
    expect(bound.most(body([picture]))).toBeUndefined();
    bound.learn(body([picture]), 3000);
    expect(bound.most(body([picture, answer]))).toBeLessThan(3100);
    expect(bound.most(body([picture, answer, { ...picture, name: 'b' }]))).toBeUndefined();
  });

  it('are not unknown because somebody writes about pictures', () => {
    const said = body([{ role: 'user', content: 'what is "image_url": {} for?' }]);
    expect(new InputBound().most(said)).toBe(said.length);
  });
});
