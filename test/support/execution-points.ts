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
*.dots filter=lfs.point
*.more-dots filter=lfs.clean.point
*.bin filter=lfs diff=lfs merge=lfs
* diff=point merge=point
`;

/** Programs that our scripts use, or might. */
const programs =
  'git git-lfs sh sed grep find tar head cut tr cat cp rm mv ln mkdir chmod sort comm wc ls mktemp env printf ssh node npm rg gh unshare mount setpriv'.split(
    ' ',
  );

/** A shell script that plants every point in the repository of the current folder; `leaves` is the folder for what they leave. */
export function plantInRepository(leaves: string): string {
  const leave = (name: string): string => `touch '${leaves}/ran-${name}'`;
  return [
    'gitdir=$(git rev-parse --absolute-git-dir); common=$(cd "$(git rev-parse --git-common-dir)" && pwd)',
    ...Object.entries(configured).flatMap(([name, settings]) =>
      settings(leave(name)).map(([key, value]) => `git config ${key} ${quoted(value)}`),
    ),
    `mkdir -p "$common/info" "$common/hooks" "$common/planted-hooks"; printf %s ${quoted(attributes)} > "$common/info/attributes"`,
    ...hooks.map((hook) => script(`"$common/hooks/${hook}"`, leave(`hook-${hook}`))),
    'cp "$common/hooks/"* "$common/planted-hooks/"; git config core.hooksPath "$common/planted-hooks"',
    `printf '[include]\\n\\tpath = included\\n' >> "$common/config"; printf '[filter "point-clean"]\\n\\tprocess = %s\\n' ${quoted(`"${leave('include').replaceAll("'", '')}"`)} > "$common/included"`,
  ].join('\n');
}

/** The endings of files that have a filter. */
export const filtered = ['clean', 'smudge', 'process', 'bin', 'dots', 'more-dots'];

/** Files that make git look for these programs, changed so that it has to read them. */
export const plantFiles = `
printf %s ${quoted(attributes)} > .gitattributes
for kind in ${filtered.join(' ')}; do echo changed > file.$kind; done
`;

/** Programs in a folder of the checkout, which may be on PATH. */
export function plantPrograms(folder: string, leaves: string): string {
  return [`mkdir -p ${folder}`, ...programs.map((name) => script(`${folder}/${name}`, `touch '${leaves}/ran-path-${name}'\nexit 1`))].join(
    '\n',
  );
}

function script(path: string, text: string): string {
  return `printf '#!/bin/sh\\n%s\\n' ${quoted(text)} > ${path}; chmod +x ${path}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
