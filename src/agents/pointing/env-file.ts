import type { UserFiles } from './user-files.ts';

/** The variables in a `.env` file of the user's: `NAME=VALUE` lines, with or without quotes. */
export function envFile(files: UserFiles, path: string): Record<string, string> {
  const lines = (files.text(path) ?? '').split(/\r?\n/);
  return Object.fromEntries(
    lines.flatMap((line) => {
      const equals = line.indexOf('=');
      const name = line
        .slice(0, Math.max(equals, 0))
        .replace(/^\s*export\s/, '')
        .trim();
      return /^\w+$/.test(name) ? [[name, unquoted(line.slice(equals + 1).trim())]] : [];
    }),
  );
}

function unquoted(value: string): string {
  const quote = value.charAt(0);
  const end = value.indexOf(quote, 1);
  if ((quote === '"' || quote === "'") && end !== -1) return value.slice(1, end);
  const [plain = ''] = value.split(/\s#/, 1);
  return plain.trim();
}
