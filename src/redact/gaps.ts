import type { Boundary } from './boundary.ts';

/** One or a few of what stands between a name and its value in code, JSON (escaped or not), YAML, headers and commands. */
export const between = '[ \\t"\'`\\\\:=>,(*|][ \\t"\'`\\\\:=>,(*|?]{0,23}';
/** What stands before a value whose name is a value too: `["name"] =`, `"name", "value":`, `<key>name</key><string>`. Each is rarer than the names are. */
export const afterNames: readonly { context: string; boundary: Boundary }[] = [
  { context: '["\']\\][ \\t]{0,2}[?:|]{0,2}=[ \\t>"\'`\\\\]{0,8}', boundary: 'any' },
  { context: `value${between}`, boundary: 'name' },
  { context: '</key>[\\\\ \\t\\n\\rnrt+-]{0,40}<string>', boundary: 'any' },
];
/** What stands between such a name and those, in JSON (escaped or not), YAML and XML, and in a diff of them. */
export const afterName = '["\'\\\\ \\t\\n\\rnr,+-]{0,40}$';
