import type { JsonObject } from '../json/json.ts';
import type { Ask, Plan } from './agent-cli.ts';
import { flag, lacking, splitModel, variables } from './words.ts';

/** OpenCode and its fork: the same command line, with different variables. */
export interface Flavour {
  title: string;
  /** `OPENCODE` of `OPENCODE_PERMISSION`. */
  prefix: string;
  /** The flag that makes this version approve everything that is not denied; undefined: it has none yet. */
  autoFlag: string | undefined;
  env: Readonly<Record<string, string>>;
}

/** The prompt goes on stdin: an argument with a space in it reaches the model in quotes. */
export function planOpenCode(ask: Ask, { title, prefix, autoFlag, env }: Flavour): Plan {
  const permission = permissionsOf(ask, autoFlag);
  const config = openCodeConfig(ask);
  return {
    args: [
      'run',
      '--format=json',
      ...(ask.permissionMode === 'full' && autoFlag !== undefined ? [autoFlag] : []),
      ...flag('model', ask.model),
      ...flag('session', ask.resume),
      ...ask.extraArgs,
    ],
    env: variables({
      ...env,
      [`${prefix}_PERMISSION`]: permission === undefined ? undefined : JSON.stringify(permission),
      [`${prefix}_CONFIG_CONTENT`]: config === undefined ? undefined : JSON.stringify(config),
    }),
    stdin: ask.prompt,
    ownLimits: [],
    unsupported: [
      ...lacking(title, ask, 'appendSystem'),
      ...(ask.baseUrl !== undefined && providerOf(ask) === undefined
        ? [`${title} needs the provider to send it to another model server: name the model as provider/name.`]
        : []),
    ],
  };
}

/** `deny` instead of `ask`: a refused question ends the run, while the model can work around a denied tool. */
function permissionsOf(ask: Ask, autoFlag: string | undefined): Record<string, unknown> | undefined {
  if (ask.permissionMode === 'full') {
    return autoFlag === undefined
      ? { edit: 'allow', bash: 'allow', webfetch: 'allow', external_directory: 'allow', doom_loop: 'allow' }
      : undefined;
  }
  const outside = Object.fromEntries(ask.directories.map((folder) => [`${folder.replace(/\/$/, '')}/*`, 'allow']));
  return {
    edit: ask.permissionMode === 'edit' ? 'allow' : 'deny',
    bash: 'deny',
    external_directory: { '*': 'deny', ...outside },
  };
}

/** The settings that an ask comes to, for the variable that holds settings. */
export function openCodeConfig(ask: Ask): JsonObject | undefined {
  const provider = providerOf(ask);
  const redirect =
    ask.baseUrl === undefined || provider === undefined
      ? undefined
      : { provider: { [provider]: { options: { baseURL: ask.baseUrl } } } };
  const prompt = ask.system === undefined ? undefined : { agent: { build: { prompt: ask.system } } };
  return redirect === undefined && prompt === undefined ? undefined : { ...redirect, ...prompt };
}

const providerOf = (ask: Ask): string | undefined =>
  ask.model === undefined ? undefined : splitModel(ask.model).provider;
