import {
  hasDigit,
  isAssignedPassword,
  isChosenPassword,
  isGivenPassword,
  isPasswordOfVariable,
  isPlaceholder,
  isQuotedPassword,
} from './randomness.ts';
import { passwordNames } from './secret-field-names.ts';
import type { Shape } from './shapes.ts';
import { afterIndex, afterName, afterNames, indexBegins } from './gaps.ts';

const word = '[A-Za-z0-9]';
const base64 = '[A-Za-z0-9+/]';
const hex = '[0-9a-f]';
const user = '[A-Za-z0-9._%@+-]{1,64}';
/** Between a setting and its value, in shells, YAML, JSON (escaped or not) and code. */
const assigns = '[ \\t"\'\\\\]{0,5}[:=][ \\t"\'\\\\=]{0,5}';
const anyWord = '[^\\s\\u001b"\'`,;|&<>)\\\\]';
/** A character in the password of an address, between one `@` and the next. */
const inPassword = '[^\\s/?#@"\'`<>()\\[\\]{}\\\\|]';
const passwordNameBefore = new RegExp(`(?:${passwordNames.join('|')})${afterName}`, 'i');
const passwordIndexBefore = new RegExp(`${indexBegins}(?:${passwordNames.join('|')})$`, 'i');
/** Within the name of a flag. */
export const aFlag = /(?:^|[^\w-]|\\n|\dm)-[\w-]{0,32}$/;
/** Within the name of a variable that a command, or a Dockerfile, sets without a sign between it and its value. */
export const aVariable = /(?:^|\W|\\n|\dm)(?:setx|setenv|ENV|set -[A-Za-z]{1,4})[ \t]{1,4}\w{0,64}$/;
const overHttp = /(?:\b|\\n|\dm)(?:curl|wget|https?)\b/;
const takesPassword =
  /(?:\b|\\n|\dm)(?:sshpass|mysql(?:dump|admin|import)?|mariadb(?:-dump)?|docker login|podman login|helm registry login|redis-cli|mongo(?:sh|dump|restore|export|import)?|az login|7za?)\b/;
/** Flags that take a password, and the programs that have them. */
const passwordFlags: readonly (readonly [flag: string, inLine: RegExp])[] = [
  ['-a', /(?:\b|\\n|\dm)(?:redis|valkey|keydb)-cli\b/],
  ['-k', /(?:\b|\\n|\dm)openssl\b/],
  ['-w', /(?:\b|\\n|\dm)ldap[a-z]{3,8}\b/],
  ['-P', /(?:\b|\\n|\dm)(?:sqlcmd|bcp|[it]sql|zip|unzip|mosquitto_[a-z]{3,4}|ipmitool)\b/],
  ['-[AX]', /(?:\b|\\n|\dm)snmp[a-z]{3,8}\b/],
];
const overSmb = /(?:\b|\\n|\dm)(?:smb[a-z]{2,10}|rpcclient|net|winexe|wmic|cifs[a-z]{0,6})\b/;

/** Stored passwords: with the salt and the hash, a list of words can be tried. */
const salt = '[./A-Za-z0-9]';
const passwordHashes = [
  `\\$[56]\\$${salt}{1,16}\\$${salt}{40}`,
  `\\$[56]\\$rounds=[0-9]{1,9}\\$${salt}{1,16}\\$${salt}{40}`,
  `\\$1\\$${salt}{1,8}\\$${salt}{20}`,
  `\\$apr1\\$${salt}{1,8}\\$${salt}{20}`,
  `\\$g{0,1}y\\$${salt}{1,8}\\$${salt}{1,86}\\$${salt}{20}`,
  `\\$2[abxy]\\$[0-9]{2}\\$${salt}{50}`,
  `\\$argon2[id]{1,2}\\$v=[0-9]{1,3}\\$[a-z0-9=,]{5,40}\\$${base64}{8,64}\\$${base64}{16}`,
  `\\$scrypt\\$[a-z0-9=,]{8,32}\\$${base64}{8,64}\\$${base64}{16}`,
  `\\$pbkdf2[a-z0-9-]{0,8}\\$[0-9]{1,9}\\$${salt}{4,64}\\$${salt}{16}`,
  `pbkdf2_sha[0-9]{1,3}\\$[0-9]{1,9}\\$${word}{4,64}\\$${base64}{16}`,
  `\\{SSHA[0-9]{0,3}\\}${base64}{20}`,
];
/** Between the words of a .netrc: spaces and line breaks, escaped or not, with diff markers. */
const gap = '[ \\t\\n\\r\\\\]{1,6}n{0,1}[ \\t+-]{0,8}';

/** Passwords chosen by people: recognised by what precedes them, or by how they are stored. */
export const passwordShapes: readonly Shape[] = [
  {
    name: 'netrc-password',
    context: `machine${gap}[^\\s\\\\]{1,128}${gap}login${gap}[^\\s\\\\]{1,128}${gap}password[ \\t]{1,8}`,
    secret: '[^\\s"\'\\\\]{1,256}',
    accept: (password) => !isPlaceholder(password),
  },
  {
    name: 'flag-password',
    context: `-u[ \\t"']{0,3}${user}:`,
    secret: `${anyWord}{1,256}`,
    boundary: 'name',
    inLine: overHttp,
    accept: (password) => !isPlaceholder(password),
  },
  {
    name: 'flag-password',
    context: `-u[ \\t]{1,3}["']{0,1}${user}:`,
    secret: `${anyWord}{6,256}`,
    boundary: 'name',
    accept: isGivenPassword,
  },
  {
    name: 'flag-password',
    context: `-user[ \\t=]{1,2}["']{0,1}${user}:`,
    secret: `${anyWord}{4,256}`,
    accept: isGivenPassword,
  },
  {
    name: 'flag-password',
    context: '-u[ \\t]{1,3}["\']{0,1}',
    secret: `[A-Za-z0-9_-]{20,256}`,
    after: ':',
    boundary: 'name',
    inLine: overHttp,
    accept: hasDigit,
  },
  ...['password', 'passwd', 'passphrase', 'pass'].map((each): Shape => ({
    name: 'flag-password',
    context: `-${each}[ \\t=]{1,3}["']{0,1}`,
    behind: aFlag,
    secret: `${anyWord}{4,256}`,
    accept: isGivenPassword,
  })),
  // Flags with one hyphen, as in Java and PowerShell; with `=`, the hyphen may be a diff marker.
  ...['password', 'Password', 'passwd', 'pass', 'storepass', 'keypass', 'deststorepass', 'srcstorepass'].map(
    (each): Shape => ({
      name: 'flag-password',
      context: `-${each}[ \\t]{1,3}["']{0,1}`,
      boundary: 'name',
      secret: `${anyWord}{4,256}`,
      accept: isGivenPassword,
    }),
  ),
  {
    name: 'flag-password',
    context: '-p[ ]{0,1}["\']{0,1}',
    secret: `[A-Za-z0-9!@#$%^&*._+=][^\\s\\u001b"'\`,;|&<>)\\\\]{3,256}`,
    boundary: 'name',
    inLine: takesPassword,
    accept: isGivenPassword,
  },
  ...passwordFlags.map(([flag, inLine]): Shape => ({
    name: 'flag-password',
    context: `${flag}[ ]{${flag === '-P' ? 0 : 1},2}["']{0,1}`,
    secret: `[A-Za-z0-9!@#$%^&*._+=][^\\s\\u001b"'\`,;|&<>)\\\\]{3,256}`,
    boundary: 'name',
    inLine,
    accept: isGivenPassword,
  })),
  {
    name: 'flag-password',
    context: 'pass:',
    secret: `${anyWord}{1,256}`,
    behind: /-pass(?:in|out)?[ =]["']?$/,
    accept: (password) => !isPlaceholder(password),
  },
  ...['-U[ \\t=]{0,3}', '-user[ \\t=]{1,3}'].map((flag): Shape => ({
    name: 'flag-password',
    context: `${flag}["']{0,1}[A-Za-z0-9._@+/\\\\-]{1,64}%`,
    secret: `${anyWord}{1,256}`,
    inLine: overSmb,
    accept: (password) => !isPlaceholder(password),
  })),
  ...[':[56]43[0-9]:', ':\\*:'].map((port): Shape => ({
    name: 'pgpass-password',
    context: `${port}[^\\s:"'/\\\\\\[]{1,64}:[^\\s:"'/\\\\\\[]{1,64}:`,
    secret: `[^\\s\\u001b:"'\`,;)\\\\]{4,256}`,
    accept: (password) => !isPlaceholder(password) && !/^\d{1,5}$/.test(password),
  })),
  {
    name: 'wifi-password',
    context: 'psk[ \\t]{0,2}=[ \\t\\\\]{0,3}["\']',
    secret: '[^"\'\\n\\\\]{8,63}',
    accept: isQuotedPassword,
  },
  { name: 'wifi-password', context: 'wpa_passphrase=', secret: `${anyWord}{8,63}`, accept: isQuotedPassword },
  { name: 'wifi-password', context: 'psk[ \\t]{0,2}=[ \\t]{0,2}', secret: `${anyWord}{8,64}`, accept: isGivenPassword },
  ...passwordHashes.map((secret): Shape => ({
    name: 'password-hash',
    secret,
    tail: '[./A-Za-z0-9+=]',
    accept: hasDigit,
  })),
  { name: 'password-hash', context: 'aad3b435b51404eeaad3b435b51404ee:', secret: `${hex}{32}` },
  {
    name: 'assigned-secret',
    context: `from-literal[= ]{1,2}["']{0,1}[A-Za-z0-9_.-]{1,64}=["']{0,1}`,
    secret: `${anyWord}{4,256}`,
    accept: isQuotedPassword,
  },
  // Settings that hold a password and nothing else: any word is one.
  ...['_pass', '_password'].map((each): Shape => ({
    name: 'assigned-secret',
    context: each + assigns,
    behind: /(?:ansible_[a-z_]{0,24}|become)$/,
    secret: `${anyWord}{4,256}`,
    accept: isQuotedPassword,
  })),
  ...['rootpw', 'userpw', 'adminpw', 'bindpw', 'dbpw', 'sshpw'].flatMap((each): Shape[] => [
    {
      name: 'assigned-secret',
      context: each + assigns,
      secret: `${anyWord}{4,256}`,
      ignoreCase: true,
      accept: isQuotedPassword,
    },
    {
      name: 'assigned-secret',
      context: `${each}[ \\t]{1,4}--[a-z-]{4,16}[ \\t]{1,4}`,
      secret: `${anyWord}{4,256}`,
      accept: isQuotedPassword,
    },
    { name: 'assigned-secret', context: `${each}[ \\t]{1,4}`, secret: `${anyWord}{4,256}`, accept: isGivenPassword },
  ]),
  ...['PASSWORD', 'PASSWD', '_PASS', '_PWD', 'PASSPHRASE', '_PW', 'SSHPASS'].map((each): Shape => ({
    name: 'assigned-secret',
    context: each + assigns,
    secret: `${anyWord}{6,256}`,
    accept: isAssignedPassword,
  })),
  ...['_password', '_passwd', '_pass', '_pwd', '_passphrase', '_pw', '_SECRET'].map((each): Shape => ({
    name: 'assigned-secret',
    context: each + assigns,
    secret: `${anyWord}{6,256}`,
    accept: isPasswordOfVariable,
  })),
  ...passwordNames.map((each): Shape => ({
    name: 'assigned-secret',
    context: each + assigns,
    secret: `${anyWord}{8,256}`,
    ignoreCase: true,
    accept: isChosenPassword,
  })),
  ...passwordNames.flatMap((each): Shape[] =>
    [
      { context: `${each}[ \\t]{1,4}["']{0,1}`, behind: aVariable, secret: `${anyWord}{6,256}` },
      { context: `${each}>`, secret: `${anyWord}{6,256}`, after: '</' },
      { context: `${each}%3D`, secret: '[A-Za-z0-9!*._~+-]{6,256}' },
    ].map((shape): Shape => ({ name: 'assigned-secret', ...shape, ignoreCase: true, accept: isPasswordOfVariable })),
  ),
  // Connection strings and mount options.
  ...['password', 'pwd'].map((each): Shape => ({
    name: 'assigned-secret',
    context: `[;,]${each}=`,
    secret: `${anyWord}{4,256}`,
    ignoreCase: true,
    accept: isGivenPassword,
  })),
  ...[
    ...afterNames.map((each) => ({ ...each, behind: passwordNameBefore })),
    { context: afterIndex, boundary: 'any' as const, behind: passwordIndexBefore },
  ].map((each): Shape => ({
    name: 'assigned-secret',
    ...each,
    secret: `${anyWord}{6,256}`,
    ignoreCase: true,
    accept: isGivenPassword,
  })),
  {
    name: 'url-password',
    context: '://[^\\s/?#:"\'`<>()\\[\\]{}\\\\]{0,128}:',
    secret: `${inPassword}{1,256}`,
    after: '@',
    goesOn: `${inPassword}{0,256}`,
    accept: (password) => !/^(?:\*+|x+|\.+|…)$/i.test(password),
  },
  { name: 'url-token', context: '://', secret: `[A-Za-z0-9_-]{20,256}`, after: '@', accept: hasDigit },
];
