#!/usr/bin/env node
// Checked before anything is imported: an older Node would stop at the first syntax or module it does not know.
var need = [22, 18];
var have = process.versions.node.split('.').map(Number);
if (have[0] < need[0] || (have[0] === need[0] && have[1] < need[1])) {
  process.stderr.write(
    'runwire: needs Node.js ' +
      need.join('.') +
      ' or newer, this is ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ').\n' +
      'Try "npx runwire", which uses the Node.js that the project installs, or update Node.js.\n',
  );
  process.exitCode = 1;
} else {
  import('../dist/cli/main.js')
    .then(function (cli) {
      return cli.main(process.argv.slice(2));
    })
    .then(function (code) {
      process.exitCode = code;
    });
}
