// OpenClaw itself: it takes the configuration, connects, and its agents' tool runs a program.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { PYTHON, SERVER } from '../e2e/clients.js';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const OPENCLAW = join(here, 'node_modules/openclaw');
const limit = { timeout: 200_000 };

// A home with nothing but what a test puts there
function makeHome(t) {
  const home = mkdtempSync(join(tmpdir(), 'runner-openclaw-'));
  t.after(() => rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  mkdirSync(join(home, '.openclaw'));
  return home;
}

const environment = (home, more = {}) => ({ PATH: process.env.PATH, HOME: home, TMPDIR: home, NO_COLOR: '1', ...more });

function node(home, args) {
  return new Promise((done) => {
    const p = spawn(process.execPath, args, { cwd: home, env: environment(home), stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '', err = '';
    p.stdout.on('data', (d) => (out += d));
    p.stderr.on('data', (d) => (err += d));
    p.on('close', (code) => done({ code, out, err }));
  });
}

const openclaw = (home, ...args) => node(home, [join(OPENCLAW, 'openclaw.mjs'), ...args]);

const config = (home, ...args) =>
  execFileSync(SERVER, ['config', 'openclaw', ...args], { env: environment(home, { RUNNER_PYTHON: PYTHON }), stdio: ['ignore', 'pipe', 'pipe'] });

test('the example is valid, with both blocks', limit, async (t) => {
  const home = makeHome(t);
  writeFileSync(join(home, '.openclaw/openclaw.json'), readFileSync(join(root, 'openclaw.gateway.example.json')));
  const valid = await openclaw(home, 'config', 'validate', '--json');
  assert.equal(valid.code, 0, valid.out + valid.err);
  const said = JSON.parse(valid.out);
  assert.equal(said.valid, true);
  assert.deepEqual(said.warnings, []);
  const status = JSON.parse((await openclaw(home, 'mcp', 'status', '--json')).out);
  assert.deepEqual(status.servers.map((s) => [s.name, s.ok, s.transport, s.requestTimeoutMs]),
    [['python-runner', true, 'stdio', 90000], ['python-runner-docker', true, 'stdio', 90000]]);
});

test('it notices what is not valid', limit, async (t) => { // else the test above could not fail
  const home = makeHome(t);
  writeFileSync(join(home, '.openclaw/openclaw.json'), '{"mcp": {"servers": {"python-runner": {"command": 7}}}}');
  assert.notEqual((await openclaw(home, 'config', 'validate', '--json')).code, 0);
});

test('what `config openclaw --write` makes of a commented file: valid, connects, runs a program', limit, async (t) => {
  const home = makeHome(t);
  const file = join(home, '.openclaw/openclaw.json');
  // In JSON5, as people write it
  writeFileSync(file, "// mine\n{\n  logging: {level: 'warn',}, // quiet\n  mcp: {\n    servers: {},\n  },\n}\n");
  config(home, '--write', '--yes');
  assert.match(readFileSync(file, 'utf8'), /^\/\/ mine\n\{\n  logging: \{level: 'warn',\}, \/\/ quiet\n  mcp: \{\n    servers: \{\n      "python-runner": /);
  const valid = await openclaw(home, 'config', 'validate', '--json');
  assert.equal(valid.code, 0, valid.out + valid.err);
  const doctor = await openclaw(home, 'mcp', 'doctor', '--probe', '--json');
  assert.equal(doctor.code, 0, doctor.out + doctor.err);
  assert.deepEqual(JSON.parse(doctor.out).servers, [{ name: 'python-runner', ok: true, issues: [] }]);
});

test('the probe notices a server that does not start', limit, async (t) => {
  const home = makeHome(t);
  const doc = JSON.parse(config(home));
  doc.mcp.servers['python-runner'].env.RUNNER_MAX_QUEUE = 'many';
  writeFileSync(join(home, '.openclaw/openclaw.json'), JSON.stringify(doc));
  const doctor = await openclaw(home, 'mcp', 'doctor', '--probe', '--json');
  assert.notEqual(doctor.code, 0);
  assert.equal(JSON.parse(doctor.out).ok, false);
});

test('its agents call the tool', limit, async (t) => {
  const home = makeHome(t);
  config(home, '--write', '--yes');
  const called = await node(home, [join(here, 'openclaw-call.mjs'), OPENCLAW, join(home, '.openclaw/openclaw.json')]);
  assert.equal(called.code, 0, called.err);
  const { names, results } = JSON.parse(called.out.trim().split('\n').at(-1));
  assert.deepEqual(names, ['python-runner__run_python']);
  assert.match(results[0].content[0].text, /\n--- stdout ---\n45\n\n--- exit_code: 0 \|/);
  assert.match(results[1].content[0].text, /ZeroDivisionError/);
  assert.match(results[2].content[0].text, /--- timeout: killed after 0\.3s \|/);
});
