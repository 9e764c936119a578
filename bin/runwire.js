#!/usr/bin/env node
// CommonJS, and in the words of an old Node.js: the version is checked before anything is loaded that it could not read.
var need = [22, 18];
var have = process.versions.node.split('.').map(Number);
var args = process.argv.slice(2);
var isOld = have[0] < need[0] || (have[0] === need[0] && have[1] < need[1]);
var newer = isOld && installedNode();
if (newer) {
  runWith(newer);
} else if (isOld) {
  process.stderr.write(
    'runwire: needs Node.js ' +
      need.join('.') +
      ' or newer, this is ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ').\n' +
      'Get one from https://nodejs.org/en/download, or by "nvm install 24", "fnm install 24", "volta install node@24".\n' +
      'Without changing what is installed: install the npm package "node" beside it (npm install node@24), and it is used.\n',
  );
  process.exitCode = 1;
} else {
  // The old one that started this is gone, by a signal that it could not pass on. Only that starts it under this name.
  if (process.argv0 === 'runwire' && process.channel) {
    process.on('disconnect', function () {
      process.kill(process.pid, 'SIGKILL');
    });
    process.channel.unref();
  }
  // What V8 has compiled is kept beside the files it was made from: whoever can write there could as well change those. Where nobody can, nothing is kept.
  require('node:module').enableCompileCache(require('node:path').join(__dirname, '..', '.cache'));
  require('../dist/cli/main.js')
    .main(args)
    .then(function (code) {
      process.exitCode = code;
    });
}

// The npm package "node" has one: in a clone it is among the tools, elsewhere it may be installed beside this package.
function installedNode() {
  var path = require('path');
  var places = [path.join(__dirname, '..', 'node_modules'), path.join(__dirname, '..', '..')];
  var found = places.map(function (folder) {
    return path.join(folder, 'node', 'bin', 'node');
  });
  return found.find(function (file) {
    return file !== process.execPath && require('fs').existsSync(file);
  });
}

function runWith(node) {
  var child = require('child_process').spawn(node, [__filename].concat(args), {
    argv0: 'runwire',
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  ['SIGTERM', 'SIGHUP', 'SIGINT'].forEach(function (signal) {
    process.on(signal, function () {
      // Ctrl-C reaches both by itself; a second one would mean "at once".
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  });
  child.on('error', function (error) {
    process.stderr.write('runwire: ' + node + ' does not start: ' + error.message + '\n');
    process.exitCode = 1;
  });
  child.on('exit', function (code, signal) {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else process.exitCode = code;
  });
}
