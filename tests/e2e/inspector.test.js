// The Inspector's command line, --strict: what it calls an error in a tool's schema is one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { PYTHON, SERVER } from './clients.js';

const BIN = join(dirname(fileURLToPath(import.meta.url)), 'node_modules/.bin/mcp-inspector');

function inspect(args, env = {}) {
  const home = mkdtempSync(join(tmpdir(), 'runner-inspector-'));
  return new Promise((done) => {
    const p = spawn(process.execPath, [BIN, '--cli', '-q', '--format', 'json', '-e', `RUNNER_PYTHON=${PYTHON}`, '-e', `TMPDIR=${home}`,
      ...Object.entries(env).flatMap(([k, v]) => ['-e', `${k}=${v}`]), SERVER, ...args],
    { env: { ...process.env, HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '', err = '';
    p.stdout.on('data', (d) => (out += d));
    p.stderr.on('data', (d) => (err += d));
    p.on('close', (code) => {
      const left = readdirSync(home).filter((n) => n.startsWith('python-runner'));
      rmSync(home, { recursive: true, force: true });
      done({ code, out, err, left });
    });
  });
}

for (const era of ['legacy', 'auto', 'modern']) {
  for (const structured of ['false', 'true']) {
    test(`inspector ${era}, structured output ${structured}: tools/list --strict`, { timeout: 60_000 }, async () => {
      const r = await inspect(['--protocol-era', era, '--method', 'tools/list', '--strict'], { RUNNER_STRUCTURED_OUTPUT: structured });
      assert.equal(r.code, 0, r.err);
      assert.equal(r.err.trim(), '', 'no advice about the schemas');
      const listed = JSON.parse(r.out);
      assert.deepEqual((listed.tools ?? listed.result.tools).map((t) => t.name), ['run_python']);
      assert.deepEqual(r.left, []);
    });
  }

  test(`inspector ${era}: tools/call`, { timeout: 60_000 }, async () => {
    const r = await inspect(['--protocol-era', era, '--method', 'tools/call', '--tool-name', 'run_python',
      '--tool-args-json', JSON.stringify({ code: 'print(sum(range(10)))', timeout: 5 })]);
    assert.equal(r.code, 0, r.err);
    assert.match(r.out, /--- stdout ---\\n45\\n/);
  });

  test(`inspector ${era}: a failing program is no tool error, a refused call is`, { timeout: 60_000 }, async () => {
    const [failed, refused] = await Promise.all([
      inspect(['--protocol-era', era, '--method', 'tools/call', '--tool-name', 'run_python', '--tool-args-json', '{"code":"1/0"}']),
      inspect(['--protocol-era', era, '--method', 'tools/call', '--tool-name', 'run_python', '--tool-args-json', '{"code":"1","timeout":-1}']),
    ]);
    assert.equal(failed.code, 0, failed.err);
    assert.equal(refused.code, 5, refused.out + refused.err);
  });
}
