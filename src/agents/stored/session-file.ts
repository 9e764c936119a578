import { open } from 'node:fs/promises';

/** How much of a file tells whether it is a session. */
export const headBytes = 32 * 1024;

/** Whether a file is the memory of an agent's own (Codex, Claude Code, Qwen Code, pi) and not what it printed. */
export function isSessionFile(head: string): boolean {
  if (/"type": ?"session_meta"/.test(head)) return true;
  if (/"(?:sessionId|summary)":/.test(head) && /"(?:parentUuid|leafUuid)":/.test(head)) return true;
  return (
    head.startsWith('{"type":"session",') &&
    /^\{"type":"(?:message|model_change|thinking_level_change|session_info)",/m.test(head)
  );
}

/** The beginning of a file; undefined: it cannot be read. */
export async function readHead(path: string): Promise<string | undefined> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
