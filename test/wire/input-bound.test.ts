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

  it.each([
    ['in small letters', String.raw`{"\u0069mage":"a"}`],
    ['in capitals of its number', String.raw`{"input":[{"file\u005Fid":"a"}]}`],
    ['altogether', `{"${[...'image_url'].map((each) => `\\u00${each.charCodeAt(0).toString(16)}`).join('')}":"a"}`],
    ['after a backslash', String.raw`{"a":"\\\\","\u0069mage":"a"}`],
    ['in the number of a prompt of theirs', String.raw`{"prompt":{"id":"\u0070mpt_1"}}`],
  ])('are unknown where the name of a picture or file may be hidden: %s', (_name, text) => {
    const bound = new InputBound();
    bound.learn(Buffer.from('{}'), 10);
    expect(bound.most(Buffer.from(text))).toBeUndefined();
  });

  it.each([
    ['a backslash before it', String.raw`{"content":"use \\\\u0041 for A"}`],
    ['what programs escape', String.raw`{"content":"a\u003cb\u0026\u0027\u007f\u00e4\u0000"}`],
  ])('are its bytes with %s', (_name, text) => {
    expect(new InputBound().most(Buffer.from(text))).toBe(text.length);
  });

  it('are not unknown because somebody writes about pictures', () => {
    const said = body([{ role: 'user', content: 'what is "image_url": {} for?' }]);
    expect(new InputBound().most(said)).toBe(said.length);
  });
});
