import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutUser, withoutUsers } from '../../src/redact/without-user.ts';
import { labelsFromEnvironment } from '../../src/stores/labels.ts';
import { repositoryName } from '../../src/stores/repository-name.ts';
import { steepest, steepnessOf } from '../support/growth.ts';

describe('an address without its user', () => {
  it.each([
    ['https://me:p@ssw0rd@github.com/x', 'https://github.com/x'],
    ['https://me:token@github.com/x', 'https://github.com/x'],
    ['https://token@github.com/x', 'https://github.com/x'],
    ['https://me:p\\w@github.com/x', 'https://github.com/x'],
    ['HTTPS://me:token@GitHub.com/x', 'https://GitHub.com/x'],
    ['https://me:token@[::1]:8443/x', 'https://[::1]:8443/x'],
    ['https://me:token@host', 'https://host'],
    ['https://me:token@host?a=b@c', 'https://host?a=b@c'],
    ['https://me:token@host:port/x', 'https://host:port/x'],
    ['https://@host/x', 'https://host/x'],
    ['ssh://git@host:2222/x.git', 'ssh://host:2222/x.git'],
    ['codecommit::us-east-1://me@x', 'codecommit::us-east-1://x'],
    ['git@host:o/r.git', 'host:o/r.git'],
    ['me@corp@host:o/r.git', 'host:o/r.git'],
    ['me:p@ssw0rd@host:o/r.git', 'host:o/r.git'],
    ['me:p:a/ss@host:o/r@2.git', 'host:o/r@2.git'],
    ['git@[::1]:o/r.git', '[::1]:o/r.git'],
    ['git@host:@scope/r.git', 'host:@scope/r.git'],
    ['git@host:ann@example.com/r.git', 'host:ann@example.com/r.git'],
    ['git@host:ann@example.com:8/r.git', 'host:ann@example.com:8/r.git'],
    // What ends the host by the rules, but leaves no host and port before it, was meant as a password.
    ['https://me:pa/ss@github.com/x', 'https://github.com/x'],
    ['https://me:p#1@github.com/x', 'https://github.com/x'],
    ['https://me:p?1@github.com/x', 'https://github.com/x'],
  ])('%s is %s', (address, told) => expect(withoutUser(address)).toBe(told));

  it.each([
    '',
    'o/r',
    'shop@2',
    'https://github.com/x',
    'https://registry:4873/@scope/x',
    'https://[::1]:4873/@scope/x',
    'https://host/a:b@c',
    'host:o/r@2',
    'host:@scope/r.git',
    'host:ann@example.com/a:b.git',
    '[::1]:ann@example.com/r.git',
    'file:///srv/web@2.git',
    '/srv/a:b/web@2.git',
    './a:b@c',
    'C:\\web@2',
    'c:/web@2',
  ])('stays as it is where there is none: %s', (address) => expect(withoutUser(address)).toBe(address));

  const userInfo = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.replaceAll(/[/?#]/g, '@'));
  const host = fc.constantFrom('host', 'github.com', 'host:8443', '[::1]', '[::1]:80', '127.0.0.1:1');
  const path = fc.constantFrom('', '/', '/o/r.git', '/@scope/x', '/a:b@c', '?a=b@c', '#@');
  const scheme = fc.constantFrom('https://', 'http://', 'ssh://', 'git+ssh://', 'postgres://');

  it('keeps nothing of the user and the password, whatever they are', () => {
    fc.assert(
      fc.property(scheme, userInfo, userInfo, host, path, (begin, user, password, at, rest) => {
        expect(withoutUser(`${begin}${user}@${at}${rest}`)).toBe(begin + at + rest);
        expect(withoutUser(`${begin}${user}:${password}@${at}${rest}`)).toBe(begin + at + rest);
        expect(repositoryName(`${begin}${user}:${password}@${at}/o/r`)).toBe('o/r');
      }),
    );
  });

  it('keeps nothing of the user of an SSH address without a scheme', () => {
    // Of `a@b:c` the host is `b`, whatever follows.
    const user = userInfo.filter(
      (text) => !/^[./~\\]|:\/\/|^[a-z]:\\|^[^:]*@[^:]*:/i.test(text) && text.trim() === text && text !== '',
    );
    fc.assert(fc.property(user, (name) => void expect(withoutUser(`${name}@host:o/r.git`)).toBe('host:o/r.git')));
  });
});

describe('addresses in a text', () => {
  it.each([
    ["fatal: unable to access 'https://me:p@ssw0rd@host:1/x/': no", "fatal: unable to access 'https://host:1/x/': no"],
    ['To ssh://git@host/x and http://a:b@c/d@e', 'To ssh://host/x and http://c/d@e'],
    ['see https://host/x, or ask me@host', 'see https://host/x, or ask me@host'],
    ["fatal: unable to access 'https://me:p/ssw0rd@host:1/x/': no", "fatal: unable to access 'https://host:1/x/': no"],
    ['fatal: "https://me:p?ssw0rd@host/x", "https://me:p#ssw0rd@host/"', 'fatal: "https://host/x", "https://host/"'],
    ["unable to access 'https://me:p'ss\"w0rd@host/x'", "unable to access 'https://host/x'"],
    ['https://a/x,https://me:p/ssw0rd@b/y', 'https://a/x,https://b/y'],
    ['https://me:p://ssw0rd@host/x', 'https://host/x'],
    ['http://a/?u=https://me:ssw0rd@b/', 'http://a/?u=https://b/'],
    ["'https://host:4873/@scope/x' 'https://[::1]/a:b@c'", "'https://host:4873/@scope/x' 'https://[::1]/a:b@c'"],
  ])('%s', (text, told) => expect(withoutUsers(text)).toBe(told));

  it.each([
    'https://me:p/ssw0rd@host/x',
    'https://me:p?ssw0rd@host/x',
    'ssh://me:p#ssw0rd@host/x',
    'http://me:p@s:s/w0rd@host/x',
  ])('nothing is told of what git makes of %s', (address) =>
    expect(withoutUsers('fatal: unable to look up me:p, s/w0rd', ['push', address])).toMatch(
      /^git takes a "\/", .* write %2F/,
    ),
  );

  it('an address that git was given is known with all that is in it', () => {
    const address = 'http://me:p ssw0rd@host/x';
    expect(withoutUsers(`fatal: '${address}/': HEAD@{1}:$& no`, ['HEAD@{1}:$&', address])).toBe(
      "fatal: 'http://host/x/': HEAD@{1}:$& no",
    );
  });

  it.each(['://', '://a@', '://a:b:', "'://", '@', 'a', ':b/', '://a:b/@'])(
    'a text made to be slow costs no more than its length: %s',
    (piece) => {
      expect(
        steepnessOf((size) => void (withoutUsers(piece.repeat(size)) + withoutUser(piece.repeat(size)))),
      ).toBeLessThan(steepest);
    },
  );
});

it.each([
  ['BUILDKITE', 'BUILDKITE_REPO', 'BUILDKITE_BUILD_URL'],
  ['CIRCLECI', 'CIRCLE_REPOSITORY_URL', 'CIRCLE_BUILD_URL'],
  ['JENKINS_URL', 'GIT_URL', 'BUILD_URL'],
])('labels of %s hold no password', (isHere, repo, url) => {
  const address = 'https://me:p@ssw0rd@github.com/x';
  expect(labelsFromEnvironment({ [isHere]: 'true', [repo]: address, [url]: address })).toMatchObject({
    'ci.url': 'https://github.com/x',
    'git.repo': 'https://github.com/x',
  });
});

it.each([
  ['https://me:hunter2@host:port/o/r', 'o/r'],
  ['https://me:pa/ss@github.com/o/r', 'o/r'],
])('the name of a repository holds no password: %s', (address, name) => expect(repositoryName(address)).toBe(name));
