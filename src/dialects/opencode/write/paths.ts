/** Where the run worked: paths relative to it become absolute, as they are on the bus. */
export interface WorkingFolder {
  cwd?: string | undefined;
  project_name?: string | undefined;
}

const isWhole = (path: string): boolean => path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path);

export function absolutePath({ cwd }: WorkingFolder, path: string): string {
  if (isWhole(path) || cwd === undefined || !isWhole(cwd)) return path;
  const names = cwd.split('/').filter((name) => name !== '');
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `${cwd.startsWith('/') ? '/' : ''}${names.join('/')}`;
}

/** The repository: the working directory, or the nearest folder above it, that has the name of the project. */
export function repositoryRoot({ cwd = '', project_name: name }: WorkingFolder): string {
  if (name === undefined || name === '') return cwd;
  const names = cwd.split('/');
  const at = names.lastIndexOf(name);
  return at === -1 ? cwd : names.slice(0, at + 1).join('/');
}
