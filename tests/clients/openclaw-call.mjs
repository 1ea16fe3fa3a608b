// openclaw-call.mjs OPENCLAW CONFIGURATION: what OpenClaw does for an agent's turn, without a model: its own runtime starts the
// servers of the configuration, makes tools of them, and runs those. Prints the names and results as one line.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [openclaw, file] = process.argv.slice(2);
const { createBundleMcpToolRuntime } = await import(pathToFileURL(join(openclaw, 'dist/agents/agent-bundle-mcp-materialize.js')));
const runtime = await createBundleMcpToolRuntime({ workspaceDir: dirname(file), cfg: JSON.parse(readFileSync(file, 'utf8')) });
const [tool] = runtime.tools;
const results = await Promise.all([
  tool.execute('one', { code: 'print(sum(range(10)))' }),
  tool.execute('two', { code: '1 / 0' }),
  tool.execute('three', { code: 'import time; time.sleep(60)', timeout: 0.3 }),
]);
await runtime.dispose();
process.stdout.write(`\n${JSON.stringify({ names: runtime.tools.map((t) => t.name), results })}\n`, () => process.exit(0));
