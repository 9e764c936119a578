#!/usr/bin/env node
// CommonJS, and in the words of an old Node.js: the version is checked before anything is loaded that it could not read.
var need = [22, 18];
var have = process.versions.node.split('.').map(Number);
var args = process.argv.slice(2);
if (have[0] < need[0] || (have[0] === need[0] && have[1] < need[1])) {
  process.stderr.write(
    'runwire: needs Node.js ' +
      need.join('.') +
      ' or newer, this is ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ').\n' +
      'Get one from https://nodejs.org/en/download, or by "nvm install 24", "fnm install 24", "volta install node@24".\n' +
      'Without changing what is installed: npx -y -p node@24 -p runwire runwire (in a clone, after npm ci: npx runwire).\n',
  );
  process.exitCode = 1;
} else {
  // What V8 has compiled is kept beside the files it was made from: whoever can write there could as well change those. Where nobody can, nothing is kept.
  require('node:module').enableCompileCache(require('node:path').join(__dirname, '..', '.cache'));
  require('../dist/cli/main.js')
    .main(args)
    .then(function (code) {
      process.exitCode = code;
    });
}
