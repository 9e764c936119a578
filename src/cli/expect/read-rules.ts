import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Rule } from '../../expect/rule.ts';
import { parseRule, parseRules } from '../../expect/words.ts';
import { Failure } from '../../failure.ts';
import type { Context } from '../context.ts';
import { readSchema } from '../run/settings.ts';

const mostRules = 1000;
const mostBytes = 4 << 20;

/** The values of `--expect`: a file of rules if there is a file with that name, else a rule, or what such a file may hold: a JSON array of rules. */
export async function readRules(given: readonly string[], context: Context): Promise<Rule[]> {
  const rules: Rule[] = [];
  for (const words of given) {
    const path = resolve(context.cwd, words);
    const isFile =
      !words.includes('\n') && words !== '' && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
    rules.push(...(isFile ? await rulesIn(words, path, context) : parsed(words)));
  }
  if (rules.length > mostRules) throw new Failure('input', `--expect: ${rules.length} rules; at most ${mostRules}`);
  return Promise.all(rules.map((rule) => withSchema(rule, context)));
}

function parsed(words: string): Rule[] {
  // More often a missing file is meant than a rule that looks like a file name.
  if (/^\S+\.\w+$/.test(words)) throw new Failure('input', `--expect ${words}: there is no such file`);
  try {
    return words.startsWith('[') ? parseRules(words) : [parseRule(words)];
  } catch (error) {
    throw error instanceof Failure ? new Failure('input', `--expect: ${error.message}`) : error;
  }
}

async function rulesIn(name: string, path: string, context: Context): Promise<Rule[]> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of context.readFile(path)) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > mostBytes) throw new Failure('input', `--expect ${name}: too large for a file of rules`);
  }
  try {
    return parseRules(text + decoder.decode());
  } catch (error) {
    throw error instanceof Failure ? new Failure('input', `--expect ${name}: ${error.message}`) : error;
  }
}

async function withSchema(rule: Rule, context: Context): Promise<Rule> {
  if (rule.rule !== 'answer_fits' || rule.file === undefined || rule.schema !== undefined) return rule;
  const path = resolve(context.cwd, rule.file);
  const schema = (await readSchema('answer fits', path, context)) as NonNullable<typeof rule.schema>;
  return { ...rule, schema };
}
