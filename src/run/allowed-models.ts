import { matchesPath } from '../files/path-pattern.ts';
import { isModelOf } from '../outcome/same-model.ts';
import type { Cause } from './stop.ts';

/** Returns why a model must not be asked; undefined: it may. No names: all may. */
export function allowedModels(names: readonly string[]): (model: string | undefined) => Cause | undefined {
  if (names.length === 0) return () => undefined;
  const tests = names.map(testOf);
  const known = names.join(', ');
  return (model) => {
    if (model !== undefined && tests.some((isAllowed) => isAllowed(model))) return undefined;
    const what = model === undefined ? 'a request that names no model' : `the model ${model}`;
    return { kind: 'refused', code: 'permission', message: `${what} is not allowed: --models allows ${known}` };
  };
}

function testOf(name: string): (model: string) => boolean {
  if (!name.includes('*')) return (model) => isModelOf(name, model);
  const matches = matchesPath(name.toLowerCase());
  return (model) => {
    const whole = model.toLowerCase();
    return matches(whole) || matches(whole.slice(whole.lastIndexOf('/') + 1));
  };
}
