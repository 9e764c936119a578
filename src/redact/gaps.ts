import type { Boundary } from './boundary.ts';

/** One or more of the characters between a name and its value in code, JSON (escaped or not), YAML, headers and commands. */
export const between = '[ \\t"\'`\\\\:=>,(*|][ \\t"\'`\\\\:=>,(*|?]{0,23}';
/** What precedes a value whose name is itself a value: `["name"] =`, `"name", "value":`, `<key>name</key><string>`. Each is rarer than the names. */
export const afterNames: readonly { context: string; boundary: Boundary }[] = [
  { context: '["\']\\][ \\t]{0,2}[?:|]{0,2}=[ \\t>"\'`\\\\]{0,8}', boundary: 'any' },
  { context: `value${between}`, boundary: 'name' },
  { context: '</key>[\\\\ \\t\\n\\rnrt+-]{0,40}<string>', boundary: 'any' },
];
/** What separates such a name from these contexts in JSON (escaped or not), YAML and XML, and in a diff of them. */
export const afterName = '["\'\\\\ \\t\\n\\rnr,+-]{0,40}$';
/** What follows, and what precedes, a name that is an unquoted index, `[:name] =`; `[redacted:name]` is not one. */
export const afterIndex = '\\][ \\t]{1,2}[?:|]{0,2}=[ \\t>"\'`\\\\]{0,8}';
export const indexBegins = '\\[:?[\\w-]{0,32}';
/** What people write between a name and its value: dashes and arrows, "is", underlined and bold names, table cells. */
export const proseGaps: readonly string[] = [
  '[ \\t]{1,3}[^\\x00-,.-\\x7f][ \\t>-]{1,4}',
  '[ \\t]{1,2}is[ \\t:"\'`*]{1,6}',
  '_{1,2}[ \\t]{0,2}:[ \\t_"\'`*]{1,6}',
  '[: \\t]{0,2}</[a-z0-9]{1,8}>[: \\t]{0,4}',
  '[: \\t]{0,2}</[a-z0-9]{1,8}>[: \\t\\n\\r]{0,16}<[^<>]{1,64}>',
];
