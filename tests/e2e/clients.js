// The official clients, as applications use them, on the real server.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client as Client2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const SERVER = process.env.TEST_SERVER ?? join(root, 'build/python-runner-mcp');
export const PYTHON = process.env.TEST_PYTHON ?? '/usr/bin/python3';
export const OUTCOME = 'python-runner/outcome';
export const MODERN = '2026-07-28';

// name, protocol era and how to make a client that is not connected yet
export const KINDS = [
  { name: 'sdk 1.32', era: 'legacy', make: () => new Client1({ name: 'e2e', version: '1' }), Stdio: Stdio1 },
  { name: 'client 2.4 by default', era: 'legacy', make: () => new Client2({ name: 'e2e', version: '1' }), Stdio: Stdio2 },
  {
    name: 'client 2.4 auto', era: 'modern', Stdio: Stdio2,
    make: () => new Client2({ name: 'e2e', version: '1' }, { versionNegotiation: { mode: 'auto' } }),
  },
  {
    name: 'client 2.4 modern', era: 'modern', Stdio: Stdio2,
    make: () => new Client2({ name: 'e2e', version: '1' }, { versionNegotiation: { mode: { pin: MODERN } } }),
  },
];

export async function connect(kind, env = {}) {
  const tmp = mkdtempSync(join(tmpdir(), 'runner-e2e-'));
  const client = kind.make();
  const transport = new kind.Stdio({
    command: SERVER,
    stderr: 'pipe',
    env: { PATH: process.env.PATH, HOME: process.env.HOME ?? '/', RUNNER_PYTHON: PYTHON, TMPDIR: tmp, ...env },
  });
  const errors = [];
  client.onerror = (e) => errors.push(e);
  await client.connect(transport);
  return {
    client, transport, errors, pid: transport.pid,
    run: (code, more = {}, options = undefined) =>
      kind.Stdio === Stdio1
        ? client.callTool({ name: 'run_python', arguments: { code, ...more } }, undefined, options)
        : client.callTool({ name: 'run_python', arguments: { code, ...more } }, options),
    // Ends the server; the promise says in how many milliseconds, and what was left in its temporary folder
    async close() {
      const t = Date.now();
      await client.close();
      const ms = Date.now() - t;
      const left = readdirSync(tmp);
      rmSync(tmp, { recursive: true, force: true });
      return { ms, left };
    },
  };
}

export const text = (result) => result.content.map((c) => c.text).join('');

export function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
