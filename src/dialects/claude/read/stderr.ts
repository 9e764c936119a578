import type { DecoderSink } from '../../dialect.ts';

const startupFaults: readonly (readonly [RegExp, 'input' | 'config'])[] = [
  [/requires --verbose|Input must be provided|No conversation found|unknown option/i, 'input'],
  [/Session ID \S+ (?:is )?already in use|^(?:error: )?invalid session id/i, 'input'],
  // It names the flag that it does not take, or not here: full access for root, say.
  [
    /^(?:error: )?--[a-z][a-z-]{1,60}(?: <\w{1,20}>)? (?:cannot|requires|needs|only works|must|does not|is not)\b/i,
    'input',
  ],
  [/invalid mcp config|settings? (?:file|json)|claude code is not|nested/i, 'config'],
];

/** A refusal to start is reported only on stderr. */
export function readStderr(text: string, sink: DecoderSink): boolean {
  const code = startupFaults.find(([wording]) => wording.test(text))?.[1];
  if (code === undefined) return false;
  sink.emit({ type: 'error', scope: 'process', code, message: text, fatal: true });
  return true;
}
