// The bundle: built, packed and unpacked as a client does it, its settings filled in by the format's own code, and then
// started by the official clients.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { getMcpConfigForManifest } from '@anthropic-ai/mcpb/node';

import { KINDS, PYTHON, text } from '../e2e/clients.js';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const BUILD = process.env.TEST_BUNDLE_BUILD ?? join(root, 'build-bundle');
const MCPB = join(here, 'node_modules/.bin/mcpb');
const BUILD_SH = join(root, 'packaging/mcpb/build.sh');
const limit = { timeout: 60_000 };

let folder, tree, extension, manifest;
const environment = () => ({ ...process.env, MCPB });

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'runner bundle '));
  execFileSync('meson', ['install', '-C', BUILD, '--no-rebuild', '--quiet', '--strip', '--destdir', join(folder, 'tree')], { stdio: 'pipe' });
  const options = JSON.parse(readFileSync(join(BUILD, 'meson-info/intro-buildoptions.json')));
  tree = join(folder, 'tree') + options.find((o) => o.name === 'prefix').value;
  execFileSync(BUILD_SH, [tree, join(folder, 'python-runner-mcp.mcpb')], { env: environment(), stdio: 'pipe' });
  extension = join(folder, 'unpacked here');
  execFileSync(MCPB, ['unpack', join(folder, 'python-runner-mcp.mcpb'), extension], { stdio: 'pipe' });
  rmSync(tree, { recursive: true }); // what was packed is all there is
  manifest = JSON.parse(readFileSync(join(extension, 'manifest.json')));
});
after(() => rmSync(folder, { recursive: true, force: true }));

// The unpacked bundle with these settings, as a client starts it
async function start(kind, userConfig) {
  const { command, args, env } = await getMcpConfigForManifest({
    manifest, extensionPath: extension, systemDirs: {}, userConfig, pathSeparator: '/',
  });
  const client = kind.make();
  const tmp = mkdtempSync(join(folder, 'tmp-'));
  await client.connect(new kind.Stdio({ command, args, env: { PATH: `${dirname(PYTHON)}:/usr/bin:/bin`, HOME: tmp, TMPDIR: tmp, ...env }, stderr: 'pipe' }));
  return { client, run: async (code, more = {}) => text(await client.callTool({ name: 'run_python', arguments: { code, ...more } })) };
}

const settings = {
  'nothing set': {},
  'an empty interpreter': { interpreter: '' },
  'all of them': { timeout: 1.5, memory: 96, interpreter: PYTHON },
};

for (const kind of KINDS) {
  for (const [name, userConfig] of Object.entries(settings)) {
    test(`${kind.name}: ${name}`, limit, async () => {
      const { client, run } = await start(kind, userConfig);
      try {
        const { tools } = await client.listTools();
        assert.deepEqual(tools.map((t) => t.name), manifest.tools.map((t) => t.name));
        assert.match(tools[0].description, new RegExp(`\\b${userConfig.memory ?? 256}\\b`));
        assert.match(await run('import sys; print(sys.executable)'), new RegExp(`\n${PYTHON}\n`));
        assert.match(await run('x = bytearray(120 * 2**20)'), userConfig.memory ? /MemoryError/ : /exit_code: 0/);
        if (userConfig.timeout) {
          assert.match(await run('import time; time.sleep(60)', { timeout: 30 }), /--- timeout: killed after 1\.5s \|/);
        }
      } finally {
        await client.close();
      }
    });
  }
}

test('an interpreter in a folder with blanks in its name', limit, async () => {
  mkdirSync(join(folder, 'my bin'), { recursive: true });
  symlinkSync(PYTHON, join(folder, 'my bin/python3'));
  const { client, run } = await start(KINDS[0], { interpreter: join(folder, 'my bin/python3') });
  assert.match(await run('print(6 * 7)'), /\n42\n/);
  await client.close();
});

test('the version is that of the program, and nothing but libc is needed', limit, () => {
  const server = join(extension, manifest.server.entry_point);
  assert.equal(execFileSync(server, ['--version']).toString().trim(), `python-runner-mcp ${manifest.version}`);
  assert.doesNotMatch(execFileSync('ldd', [server]).toString(), /libuv|libjansson|libseccomp/);
});

test('build.sh says what it can not use', limit, () => {
  const said = (args, env = {}) => {
    const p = spawnSync(BUILD_SH, args, { env: { ...environment(), ...env } });
    assert.equal(p.status, 1);
    return p.stderr.toString();
  };
  assert.match(said([]), /usage: build\.sh TREE OUTPUT/);
  assert.match(said([folder, join(folder, 'x.mcpb')]), /has no bin\/python-runner-mcp/);
  assert.match(said([join(extension, 'server'), join(folder, 'x.mcpb')], { MCPB: 'no-such-mcpb' }), /no-such-mcpb was not found/);
});
