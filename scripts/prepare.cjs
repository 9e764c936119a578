// What npm runs in a clone after an install. In the words of an old Node.js, which may be all that the machine has: the build runs on the one that is installed with the tools.
const { spawnSync } = require('node:child_process');
const {
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const node = join(root, 'node_modules', 'node', 'bin', 'node');

/**
 * npm waits five minutes for each answer of a registry, three times, package after package, and shows nothing of what happens
 * here: an install whose connection hangs would seem to last for ever.
 */
const minutes = 20;

function run(command, args, env) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env, timeout: minutes * 60_000 });
  if (error && error.code === 'ETIMEDOUT') {
    console.error(
      `runwire: "${command} ${args.join(' ')}" was stopped after ${minutes} minutes; is the npm registry within reach?`,
    );
    process.exit(1);
  }
  if (error) throw error;
  if (status !== 0) process.exit(status || 1);
}

if (existsSync(node)) {
  run(node, [join(__dirname, 'build.ts'), '--if-stale'], process.env);
} else {
  // `npm install --global git+URL` asks for the tools in a way that makes npm install this clone globally instead: a link to a
  // folder that it removes soon, in place of the one that it was about to fill. So the tools are fetched here, and that folder
  // is put back.
  const env = Object.assign({}, process.env);
  const packages = join(env.npm_config_global_prefix || env.npm_config_prefix || root, 'lib', 'node_modules');
  for (const name of Object.keys(env)) {
    if (/^npm_config_(global|location|prefix|local_prefix|global_prefix)$/i.test(name)) delete env[name];
  }
  say('fetching what builds it, then building it; this takes some minutes, and npm shows nothing meanwhile');
  run('npm', ['ci', '--loglevel=error', '--fetch-timeout=60000'], env);
  const link = join(packages, 'runwire');
  if (leadsHere(link)) {
    rmSync(link);
    const aside = readdirSync(packages).find((name) => name.startsWith('.runwire-'));
    if (aside) renameSync(join(packages, aside), link);
    else mkdirSync(link);
  }
}

/** On the terminal itself, if there is one: npm keeps what is printed here to itself. */
function say(words) {
  try {
    writeFileSync('/dev/tty', `runwire: ${words}\n`);
  } catch {
    // Nobody is there to read it.
  }
}

function leadsHere(link) {
  try {
    return readlinkSync(link) !== '' && realpathSync(link) === realpathSync(root);
  } catch {
    return false;
  }
}
