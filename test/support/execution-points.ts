/**
 * Every place where git's documentation says that a program is run because a file of a repository names it. Each is set so that
 * running it leaves a file behind, called after it.
 */
const configured: Record<string, (program: string) => readonly (readonly [key: string, value: string])[]> = {
  'filter.clean': (program) => [['filter.point-clean.clean', `${program}; cat`]],
  'filter.smudge': (program) => [['filter.point-smudge.smudge', `${program}; cat`]],
  'filter.process': (program) => [['filter.point-process.process', program]],
  'filter.lfs': (program) => [
    ['filter.lfs.clean', `${program}; cat`],
    ['filter.lfs.smudge', `${program}; cat`],
    ['filter.lfs.process', program],
  ],
  // The name of a filter may have dots, and begin like another.
  'filter.lfs.point': (program) => [
    ['filter.lfs.point.clean', `${program}; cat`],
    ['filter.lfs.point.smudge', `${program}; cat`],
    ['filter.lfs.clean.point.process', program],
  ],
  'merge.driver': (program) => [['merge.point.driver', program]],
  'diff.command': (program) => [['diff.point.command', program]],
  'diff.textconv': (program) => [['diff.point.textconv', program]],
  'diff.external': (program) => [['diff.external', program]],
  'core.fsmonitor': (program) => [['core.fsmonitor', program]],
  'core.sshCommand': (program) => [['core.sshCommand', program]],
  'core.gitProxy': (program) => [['core.gitProxy', program]],
  'core.askPass': (program) => [['core.askPass', program]],
  'core.pager': (program) => [['core.pager', program]],
  'core.editor': (program) => [['core.editor', program]],
  'sequence.editor': (program) => [['sequence.editor', program]],
  'core.alternateRefsCommand': (program) => [['core.alternateRefsCommand', program]],
  'credential.helper': (program) => [['credential.helper', `!${program}`]],
  'gpg.program': (program) => [
    ['commit.gpgSign', 'true'],
    ['tag.gpgSign', 'true'],
    ['push.gpgSign', 'if-asked'],
    ['gpg.program', program],
    ['gpg.ssh.program', program],
  ],
  'uploadpack.packObjectsHook': (program) => [['uploadpack.packObjectsHook', program]],
  'remote.receivepack': (program) => [['remote.origin.receivepack', program]],
  'remote.uploadpack': (program) => [['remote.origin.uploadpack', program]],
  'gc.recentObjectsHook': (program) => [
    ['gc.recentObjectsHook', program],
    ['gc.auto', '1'],
  ],
  'submodule.update': (program) => [
    ['submodule.sub.update', `!${program}`],
    ['submodule.recurse', 'true'],
    ['submodule.sub.ignore', 'none'],
  ],
  'trailer.command': (program) => [
    ['trailer.point.command', program],
    ['trailer.point.cmd', program],
  ],
  'interactive.diffFilter': (program) => [['interactive.diffFilter', program]],
  alias: (program) => [
    ['alias.status', `!${program}`],
    ['alias.keep', `!${program}`],
  ],
  'lfs.extension': (program) => [
    ['lfs.extension.point.clean', program],
    ['lfs.extension.point.smudge', program],
    ['lfs.extension.point.priority', '0'],
  ],
};

const hooks = [
  'applypatch-msg commit-msg fsmonitor-watchman p4-pre-submit post-applypatch post-checkout post-commit post-index-change post-merge',
  'post-receive post-rewrite post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase prepare-commit-msg',
  'proc-receive push-to-checkout reference-transaction sendemail-validate update',
].flatMap((line) => line.split(' '));

/** For every file: it is of each kind of filter, and has a driver for diff and merge. */
const attributes = `*.clean filter=point-clean
*.smudge filter=point-smudge
*.process filter=point-process
*.include filter=point-include
*.dots filter=lfs.point
*.more-dots filter=lfs.clean.point
*.bin filter=lfs diff=lfs merge=lfs
* diff=point merge=point
`;

/** Programs that we or our scripts use, or might. */
const programs = [
  'git git-lfs sh sed grep find tar head cut tr cat cp rm mv ln mkdir chmod sort comm wc ls mktemp env printf awk sleep ssh node npm npx rg gh',
  'unshare mount umount setpriv prlimit fallocate buildkite-agent',
].flatMap((line) => line.split(' '));

/** A shell script that plants every point in the repository of the current folder; `leaves` is the folder for what they leave. */
export function plantInRepository(leaves: string): string {
  const leave = (name: string): string => `touch '${leaves}/ran-${name}'`;
  const config = Object.entries(configured).flatMap(([name, settings]) =>
    settings(leave(name)).map(([key, value]) => asConfig(key, value)),
  );
  return [
    'common=$(cd "$(git rev-parse --git-common-dir)" && pwd)',
    `mkdir -p "$common/info" "$common/hooks" "$common/planted-hooks"; printf %s ${quoted(attributes)} > "$common/info/attributes"`,
    `printf %s ${quoted(config.join(''))} >> "$common/config"`,
    scripts('"$common/hooks"', hooks, `touch '${leaves}/ran-hook-'"\${0##*/}"`),
    'cp "$common/hooks/"* "$common/planted-hooks/"; git config core.hooksPath "$common/planted-hooks"',
    `printf %s ${quoted(asConfig('include.path', 'included'))} >> "$common/config"`,
    `printf %s ${quoted(asConfig('filter.point-include.clean', `${leave('include')}; cat`))} > "$common/included"`,
  ].join('\n');
}

/** The endings of files that have a filter. */
const filtered = ['clean', 'smudge', 'process', 'include', 'bin', 'dots', 'more-dots'];

/** The names of those filters, as the attributes give them. */
export const filterNames = [...attributes.matchAll(/ filter=(\S+)/g)].map(([, name = '']) => name);

/** Files of each kind, as they were before. */
export const plainFiles = Object.fromEntries(filtered.map((kind) => [`file.${kind}`, 'first\n']));

/** Files that make git look for these programs, changed so that it has to read them. */
export const plantFiles = `
printf %s ${quoted(attributes)} > .gitattributes
for kind in ${filtered.join(' ')}; do echo changed > file.$kind; done
`;

/** Programs in a folder of the checkout, which may be on PATH; by default, those that we use. */
export function plantPrograms(folder: string, leaves: string, names: readonly string[] = programs): string {
  return `mkdir -p ${folder}\n${scripts(folder, names, `touch '${leaves}/ran-path-'"\${0##*/}"\nexit 1`)}`;
}

/** The same script under many names. */
function scripts(folder: string, names: readonly string[], text: string): string {
  const paths = names.map((name) => `${folder}/${name}`).join(' ');
  return `printf %s ${quoted(`#!/bin/sh\n${text}\n`)} | tee ${paths} > /dev/null; chmod +x ${paths}`;
}

function asConfig(key: string, value: string): string {
  const [section = '', ...rest] = key.split('.');
  const name = rest.pop() ?? '';
  return `[${section}${rest.length === 0 ? '' : ` "${rest.join('.')}"`}]\n\t${name} = ${JSON.stringify(value)}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
