const subjects = [
  'command',
  'cmd',
  'path',
  'file_path',
  'filePath',
  'absolute_path',
  'pattern',
  'url',
  'query',
  'prompt',
  'prompts',
  'description',
  'branch_ids',
  'branch_id',
];

/** The argument that says most about a call. */
export function subject(args: unknown): string {
  if (typeof args !== 'object' || args === null) return typeof args === 'string' ? args : '';
  const fields = args as Readonly<Record<string, unknown>>;
  for (const name of subjects) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (typeof value === 'string') return value;
    if (Array.isArray(value) && value.every((word) => typeof word === 'string'))
      return value.join(name === 'prompts' ? ' · ' : ' ');
  }
  const { changes } = fields;
  if (Array.isArray(changes) && changes.length > 0 && changes.every(hasPath))
    return changes.map(({ path }) => path).join(' ');
  return Object.keys(fields).length === 0 ? '' : JSON.stringify(args);
}

function hasPath(value: unknown): value is { path: string } {
  return typeof value === 'object' && value !== null && 'path' in value && typeof value.path === 'string';
}
