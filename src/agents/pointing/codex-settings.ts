import { join } from 'node:path';
import type { JsonObject } from '../../json/json.ts';
import { filled, object } from '../../json/read.ts';
import { layered, setting } from './layers.ts';
import { NotPointed } from './pointing.ts';
import { settingsIn, type UserFiles } from './user-files.ts';

/** What its own files and the user's words to it come to. Those of a project are left out: it lets them choose no provider. */
export async function codexSettings(words: readonly string[], files: UserFiles, home: string): Promise<JsonObject> {
  const { settings: own, profile: named } = await settingsOnCommandLine(words);
  const base = layered(
    await files.settings('/etc/codex/config.toml', 'toml'),
    await files.settings(join(home, 'config.toml'), 'toml'),
  );
  const profile = named ?? filled(base['profile']);
  return [...(profile === undefined ? [] : await profileLayers(profile, base, files, home)), own].reduce(layered, base);
}

/** A table of the main file in earlier versions, a file of its own in later ones. */
async function profileLayers(profile: string, base: JsonObject, files: UserFiles, home: string): Promise<JsonObject[]> {
  if (!/^[\w.-]+$/.test(profile)) throw new NotPointed('the name of its profile is not a word');
  return [
    object(object(base['profiles'])[profile]),
    await files.settings(join(home, `${profile}.config.toml`), 'toml'),
  ];
}

/** The settings in its arguments: `-c NAME=VALUE`, where a value that is not TOML is text, and the flags that choose a provider. */
async function settingsOnCommandLine(
  words: readonly string[],
): Promise<{ settings: JsonObject; profile: string | undefined }> {
  let settings: JsonObject = {};
  let profile: string | undefined;
  for (const { flag, value } of flagsIn(words)) {
    if (flag === '-p' || flag === '--profile') profile = value;
    else if (flag === '--oss') settings = layered(settings, { model_provider: 'ollama' });
    else if (flag === '-c' || flag === '--config') settings = layered(settings, await assigned(value));
  }
  return { settings, profile };
}

/** Each flag with its value, in the same word or in the next one. */
function flagsIn(words: readonly string[]): { flag: string; value: string }[] {
  return words.flatMap((word, index) => {
    if (word.startsWith('--')) {
      const equals = word.indexOf('=');
      return equals === -1
        ? [{ flag: word, value: words[index + 1] ?? '' }]
        : [{ flag: word.slice(0, equals), value: word.slice(equals + 1) }];
    }
    if (!/^-[a-z]/.test(word)) return [];
    return [
      { flag: word.slice(0, 2), value: word.length > 2 ? word.slice(2).replace(/^=/, '') : (words[index + 1] ?? '') },
    ];
  });
}

async function assigned(text: string): Promise<JsonObject> {
  const equals = text.indexOf('=');
  if (equals < 1) return {};
  const value = text.slice(equals + 1).trim();
  const parsed = await settingsIn(`value = ${value}`, 'toml', 'an argument').then(
    (found) => found['value'] ?? value,
    () => value.replace(/^["']|["']$/g, ''),
  );
  return setting(text.slice(0, equals).trim(), parsed);
}
